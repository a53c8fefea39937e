"""People of the encyclopedia, written down by hand: a line is name|sex|born|died|birthplace,country|nationality|role.

An empty birthplace is left out of the article. Birthplaces carry today's country, as GeoNames has it.
"""

PEOPLE = """
Franz Kafka|m|1883|1924|Prague,CZ|Bohemian|writer
Fyodor Dostoevsky|m|1821|1881|Moscow,RU|Russian|novelist
Leo Tolstoy|m|1828|1910||Russian|novelist
Anton Chekhov|m|1860|1904|Taganrog,RU|Russian|playwright
Alexander Pushkin|m|1799|1837|Moscow,RU|Russian|poet
Mikhail Bulgakov|m|1891|1940|Kyiv,UA|Russian|novelist
Boris Pasternak|m|1890|1960|Moscow,RU|Russian|poet
Ivan Turgenev|m|1818|1883|Orël,RU|Russian|novelist
Maxim Gorky|m|1868|1936|Nizhniy Novgorod,RU|Russian|writer
Charles Dickens|m|1812|1870|Portsmouth,GB|English|novelist
Jane Austen|f|1775|1817||English|novelist
Mary Shelley|f|1797|1851|London,GB|English|novelist
Arthur Conan Doyle|m|1859|1930|Edinburgh,GB|Scottish|writer
Robert Louis Stevenson|m|1850|1894|Edinburgh,GB|Scottish|novelist
George Orwell|m|1903|1950|Motihari,IN|English|novelist
Rudyard Kipling|m|1865|1936|Mumbai,IN|English|writer
Oscar Wilde|m|1854|1900|Dublin,IE|Irish|playwright
James Joyce|m|1882|1941|Dublin,IE|Irish|novelist
Bram Stoker|m|1847|1912|Dublin,IE|Irish|novelist
Jonathan Swift|m|1667|1745|Dublin,IE|Irish|satirist
Samuel Beckett|m|1906|1989|Dublin,IE|Irish|playwright
Lewis Carroll|m|1832|1898||English|writer
Virginia Woolf|f|1882|1941|London,GB|English|novelist
Agatha Christie|f|1890|1976|Torquay,GB|English|writer
Roald Dahl|m|1916|1990|Cardiff,GB|British|novelist
Dylan Thomas|m|1914|1953|Swansea,GB|Welsh|poet
Thomas Mann|m|1875|1955|Lübeck,DE|German|novelist
Johann Wolfgang von Goethe|m|1749|1832|Frankfurt am Main,DE|German|poet
Friedrich Schiller|m|1759|1805|Marbach am Neckar,DE|German|playwright
Hermann Hesse|m|1877|1962|Calw,DE|German|novelist
Bertolt Brecht|m|1898|1956|Augsburg,DE|German|playwright
Heinrich Heine|m|1797|1856|Düsseldorf,DE|German|poet
Günter Grass|m|1927|2015|Gdańsk,PL|German|novelist
Erich Maria Remarque|m|1898|1970|Osnabrück,DE|German|novelist
Michael Ende|m|1929|1995|Garmisch-Partenkirchen,DE|German|writer
Victor Hugo|m|1802|1885|Besançon,FR|French|novelist
Jules Verne|m|1828|1905|Nantes,FR|French|novelist
Gustave Flaubert|m|1821|1880|Rouen,FR|French|novelist
Stendhal|m|1783|1842|Grenoble,FR|French|novelist
Honoré de Balzac|m|1799|1850|Tours,FR|French|novelist
Voltaire|m|1694|1778|Paris,FR|French|philosopher
Marcel Proust|m|1871|1922|Paris,FR|French|novelist
Émile Zola|m|1840|1902|Paris,FR|French|novelist
Albert Camus|m|1913|1960||French|writer
Antoine de Saint-Exupéry|m|1900|1944|Lyon,FR|French|aviator and writer
Molière|m|1622|1673|Paris,FR|French|playwright
Alexandre Dumas|m|1802|1870||French|novelist
Miguel de Cervantes|m|1547|1616|Alcalá de Henares,ES|Spanish|novelist
Federico García Lorca|m|1898|1936||Spanish|playwright
Gabriel García Márquez|m|1927|2014|Aracataca,CO|Colombian|novelist
Jorge Luis Borges|m|1899|1986|Buenos Aires,AR|Argentine|writer
Mario Vargas Llosa|m|1936|2025|Arequipa,PE|Peruvian|novelist
Pablo Neruda|m|1904|1973|Parral,CL|Chilean|poet
Isabel Allende|f|1942||Lima,PE|Chilean|novelist
Octavio Paz|m|1914|1998|Mexico City,MX|Mexican|poet
Carlos Fuentes|m|1928|2012|Panamá,PA|Mexican|novelist
Fernando Pessoa|m|1888|1935|Lisbon,PT|Portuguese|poet
Machado de Assis|m|1839|1908|Rio de Janeiro,BR|Brazilian|novelist
Jorge Amado|m|1912|2001|Itabuna,BR|Brazilian|novelist
Dante Alighieri|m|1265|1321|Florence,IT|Italian|poet
Petrarch|m|1304|1374|Arezzo,IT|Italian|poet
Carlo Collodi|m|1826|1890|Florence,IT|Italian|writer
Umberto Eco|m|1932|2016|Alessandria,IT|Italian|novelist
Luigi Pirandello|m|1867|1936|Agrigento,IT|Italian|playwright
Alessandro Manzoni|m|1785|1873|Milan,IT|Italian|novelist
Niccolò Machiavelli|m|1469|1527|Florence,IT|Italian|political thinker
Primo Levi|m|1919|1987|Turin,IT|Italian|writer
Henrik Ibsen|m|1828|1906|Skien,NO|Norwegian|playwright
Hans Christian Andersen|m|1805|1875|Odense,DK|Danish|writer
Karen Blixen|f|1885|1962||Danish|writer
Astrid Lindgren|f|1907|2002|Vimmerby,SE|Swedish|writer
August Strindberg|m|1849|1912|Stockholm,SE|Swedish|playwright
Selma Lagerlöf|f|1858|1940||Swedish|novelist
Tove Jansson|f|1914|2001|Helsinki,FI|Finnish|writer and illustrator
Halldór Laxness|m|1902|1998|Reykjavík,IS|Icelandic|novelist
Nikos Kazantzakis|m|1883|1957|Irákleion,GR|Greek|novelist
Orhan Pamuk|m|1952||Istanbul,TR|Turkish|novelist
Ivo Andrić|m|1892|1975|Travnik,BA|Yugoslav|novelist
Milan Kundera|m|1929|2023|Brno,CZ|Czech|novelist
Karel Čapek|m|1890|1938||Czech|playwright
Jaroslav Hašek|m|1883|1923|Prague,CZ|Czech|satirist
Stanisław Lem|m|1921|2006|Lviv,UA|Polish|novelist
Henryk Sienkiewicz|m|1846|1916||Polish|novelist
Joseph Conrad|m|1857|1924|Berdychiv,UA|Polish-British|novelist
Imre Kertész|m|1929|2016|Budapest,HU|Hungarian|novelist
Elias Canetti|m|1905|1994|Ruse,BG|German-language|writer
Stefan Zweig|m|1881|1942|Vienna,AT|Austrian|writer
Robert Musil|m|1880|1942|Klagenfurt,AT|Austrian|novelist
Rainer Maria Rilke|m|1875|1926|Prague,CZ|Austrian|poet
Max Frisch|m|1911|1991|Zürich,CH|Swiss|novelist
Jean-Jacques Rousseau|m|1712|1778|Geneva,CH|Genevan|philosopher
Georges Simenon|m|1903|1989|Liège,BE|Belgian|novelist
Maurice Maeterlinck|m|1862|1949|Gent,BE|Belgian|playwright
Anne Frank|f|1929|1945|Frankfurt am Main,DE|German-born|diarist
Mark Twain|m|1835|1910||American|novelist
Herman Melville|m|1819|1891|New York City,US-NY|American|novelist
Edgar Allan Poe|m|1809|1849|Boston,US-MA|American|writer
Nathaniel Hawthorne|m|1804|1864|Salem,US-MA|American|novelist
Ernest Hemingway|m|1899|1961|Oak Park,US-IL|American|novelist
John Steinbeck|m|1902|1968|Salinas,US-CA|American|novelist
William Faulkner|m|1897|1962||American|novelist
Jack London|m|1876|1916|San Francisco,US-CA|American|novelist
Emily Dickinson|f|1830|1886|Amherst,US-MA|American|poet
Sylvia Plath|f|1932|1963|Boston,US-MA|American|poet
Toni Morrison|f|1931|2019|Lorain,US-OH|American|novelist
Ray Bradbury|m|1920|2012|Waukegan,US-IL|American|writer
Kurt Vonnegut|m|1922|2007|Indianapolis,US-IN|American|novelist
Margaret Mitchell|f|1900|1949|Atlanta,US-GA|American|novelist
Louisa May Alcott|f|1832|1888|Philadelphia,US-PA|American|novelist
Tennessee Williams|m|1911|1983|Columbus,US-MS|American|playwright
Harper Lee|f|1926|2016||American|novelist
Margaret Atwood|f|1939||Ottawa,CA|Canadian|novelist
Chinua Achebe|m|1930|2013||Nigerian|novelist
Wole Soyinka|m|1934||Abeokuta,NG|Nigerian|playwright
Nadine Gordimer|f|1923|2014|Springs,ZA|South African|novelist
Doris Lessing|f|1919|2013|Kermanshah,IR|British|novelist
Naguib Mahfouz|m|1911|2006|Cairo,EG|Egyptian|novelist
Rabindranath Tagore|m|1861|1941|Kolkata,IN|Bengali|poet
Salman Rushdie|m|1947||Mumbai,IN|British-American|novelist
Haruki Murakami|m|1949||Kyoto,JP|Japanese|novelist
Yasunari Kawabata|m|1899|1972|Osaka,JP|Japanese|novelist
Yukio Mishima|m|1925|1970|Tokyo,JP|Japanese|novelist
Kazuo Ishiguro|m|1954||Nagasaki,JP|British|novelist
Lu Xun|m|1881|1936|Shaoxing,CN|Chinese|writer
Omar Khayyam|m|1048|1131|Neyshābūr,IR|Persian|poet and astronomer
Johann Sebastian Bach|m|1685|1750|Eisenach,DE|German|composer
George Frideric Handel|m|1685|1759|Halle (Saale),DE|German-British|composer
Ludwig van Beethoven|m|1770|1827|Bonn,DE|German|composer
Wolfgang Amadeus Mozart|m|1756|1791|Salzburg,AT|Austrian|composer
Joseph Haydn|m|1732|1809||Austrian|composer
Franz Schubert|m|1797|1828|Vienna,AT|Austrian|composer
Johannes Brahms|m|1833|1897|Hamburg,DE|German|composer
Felix Mendelssohn|m|1809|1847|Hamburg,DE|German|composer
Robert Schumann|m|1810|1856|Zwickau,DE|German|composer
Clara Schumann|f|1819|1896|Leipzig,DE|German|pianist and composer
Richard Wagner|m|1813|1883|Leipzig,DE|German|composer
Richard Strauss|m|1864|1949|Munich,DE|German|composer
Carl Maria von Weber|m|1786|1826|Eutin,DE|German|composer
Carl Orff|m|1895|1982|Munich,DE|German|composer
Antonio Vivaldi|m|1678|1741|Venice,IT|Italian|composer
Gioachino Rossini|m|1792|1868|Pesaro,IT|Italian|composer
Gaetano Donizetti|m|1797|1848|Bergamo,IT|Italian|composer
Vincenzo Bellini|m|1801|1835|Catania,IT|Italian|composer
Giuseppe Verdi|m|1813|1901||Italian|composer
Giacomo Puccini|m|1858|1924|Lucca,IT|Italian|composer
Claudio Monteverdi|m|1567|1643|Cremona,IT|Italian|composer
Niccolò Paganini|m|1782|1840|Genoa,IT|Italian|violinist and composer
Ruggero Leoncavallo|m|1857|1919|Naples,IT|Italian|composer
Pietro Mascagni|m|1863|1945|Livorno,IT|Italian|composer
Ottorino Respighi|m|1879|1936|Bologna,IT|Italian|composer
Georges Bizet|m|1838|1875|Paris,FR|French|composer
Hector Berlioz|m|1803|1869||French|composer
Claude Debussy|m|1862|1918|Saint-Germain-en-Laye,FR|French|composer
Maurice Ravel|m|1875|1937||French|composer
Camille Saint-Saëns|m|1835|1921|Paris,FR|French|composer
Jacques Offenbach|m|1819|1880|Köln,DE|German-French|composer
Charles Gounod|m|1818|1893|Paris,FR|French|composer
Gabriel Fauré|m|1845|1924|Pamiers,FR|French|composer
Jules Massenet|m|1842|1912|Saint-Étienne,FR|French|composer
Edvard Grieg|m|1843|1907|Bergen,NO|Norwegian|composer
Jean Sibelius|m|1865|1957|Hämeenlinna,FI|Finnish|composer
Frédéric Chopin|m|1810|1849||Polish|composer
Franz Liszt|m|1811|1886||Hungarian|composer
Béla Bartók|m|1881|1945||Hungarian|composer
Antonín Dvořák|m|1841|1904||Czech|composer
Bedřich Smetana|m|1824|1884|Litomyšl,CZ|Czech|composer
Pyotr Ilyich Tchaikovsky|m|1840|1893|Votkinsk,RU|Russian|composer
Modest Mussorgsky|m|1839|1881||Russian|composer
Nikolai Rimsky-Korsakov|m|1844|1908|Tikhvin,RU|Russian|composer
Igor Stravinsky|m|1882|1971|Lomonosov,RU|Russian|composer
Dmitri Shostakovich|m|1906|1975|Saint Petersburg,RU|Russian|composer
Alexander Borodin|m|1833|1887|Saint Petersburg,RU|Russian|composer and chemist
Sergei Prokofiev|m|1891|1953||Russian|composer
Aram Khachaturian|m|1903|1978|Tbilisi,GE|Armenian|composer
Manuel de Falla|m|1876|1946|Cádiz,ES|Spanish|composer
Joaquín Rodrigo|m|1901|1999|Sagunto,ES|Spanish|composer
Henry Purcell|m|1659|1695|London,GB|English|composer
Gustav Holst|m|1874|1934|Cheltenham,GB|English|composer
Benjamin Britten|m|1913|1976|Lowestoft,GB|English|composer
George Gershwin|m|1898|1937|New York City,US-NY|American|composer
Aaron Copland|m|1900|1990|New York City,US-NY|American|composer
Leonard Bernstein|m|1918|1990|Lawrence,US-MA|American|composer and conductor
Philip Glass|m|1937||Baltimore,US-MD|American|composer
Heitor Villa-Lobos|m|1887|1959|Rio de Janeiro,BR|Brazilian|composer
Astor Piazzolla|m|1921|1992|Mar del Plata,AR|Argentine|composer
Leonardo da Vinci|m|1452|1519||Italian|painter and inventor
Michelangelo|m|1475|1564||Italian|sculptor and painter
Raphael|m|1483|1520|Urbino,IT|Italian|painter
Caravaggio|m|1571|1610|Milan,IT|Italian|painter
Sandro Botticelli|m|1445|1510|Florence,IT|Italian|painter
Albrecht Dürer|m|1471|1528|Nürnberg,DE|German|painter and engraver
Rembrandt|m|1606|1669|Leiden,NL|Dutch|painter
Johannes Vermeer|m|1632|1675|Delft,NL|Dutch|painter
Vincent van Gogh|m|1853|1890|Zundert,NL|Dutch|painter
Piet Mondrian|m|1872|1944|Amersfoort,NL|Dutch|painter
Peter Paul Rubens|m|1577|1640|Siegen,DE|Flemish|painter
Anthony van Dyck|m|1599|1641|Antwerpen,BE|Flemish|painter
René Magritte|m|1898|1967|Lessines,BE|Belgian|painter
James Ensor|m|1860|1949|Ostend,BE|Belgian|painter
Claude Monet|m|1840|1926|Paris,FR|French|painter
Édouard Manet|m|1832|1883|Paris,FR|French|painter
Edgar Degas|m|1834|1917|Paris,FR|French|painter
Pierre-Auguste Renoir|m|1841|1919|Limoges,FR|French|painter
Paul Cézanne|m|1839|1906|Aix-en-Provence,FR|French|painter
Paul Gauguin|m|1848|1903|Paris,FR|French|painter
Georges Seurat|m|1859|1891|Paris,FR|French|painter
Henri Matisse|m|1869|1954||French|painter
Henri Rousseau|m|1844|1910|Laval,FR|French|painter
Henri de Toulouse-Lautrec|m|1864|1901|Albi,FR|French|painter
Eugène Delacroix|m|1798|1863||French|painter
Théodore Géricault|m|1791|1824|Rouen,FR|French|painter
Jean-Auguste-Dominique Ingres|m|1780|1867|Montauban,FR|French|painter
Jacques-Louis David|m|1748|1825|Paris,FR|French|painter
Auguste Rodin|m|1840|1917|Paris,FR|French|sculptor
Pablo Picasso|m|1881|1973|Málaga,ES|Spanish|painter
Salvador Dalí|m|1904|1989|Figueres,ES|Spanish|painter
Joan Miró|m|1893|1983|Barcelona,ES|Spanish|painter
Diego Velázquez|m|1599|1660|Sevilla,ES|Spanish|painter
Francisco Goya|m|1746|1828||Spanish|painter
El Greco|m|1541|1614|Irákleion,GR|Greek|painter
Edvard Munch|m|1863|1944||Norwegian|painter
Gustav Klimt|m|1862|1918|Vienna,AT|Austrian|painter
Egon Schiele|m|1890|1918|Tulln,AT|Austrian|painter
Caspar David Friedrich|m|1774|1840|Greifswald,DE|German|painter
Franz Marc|m|1880|1916|Munich,DE|German|painter
Wassily Kandinsky|m|1866|1944|Moscow,RU|Russian|painter
Kazimir Malevich|m|1879|1935|Kyiv,UA|Russian-Ukrainian|painter
Marc Chagall|m|1887|1985||Russian-French|painter
Ilya Repin|m|1844|1930|Chuhuiv,UA|Russian|painter
Ivan Aivazovsky|m|1817|1900|Feodosiya,UA|Russian-Armenian|painter
Alphonse Mucha|m|1860|1939|Ivančice,CZ|Czech|painter
Frida Kahlo|f|1907|1954|Mexico City,MX|Mexican|painter
Diego Rivera|m|1886|1957|Guanajuato,MX|Mexican|painter
Fernando Botero|m|1932|2023|Medellín,CO|Colombian|painter and sculptor
Grant Wood|m|1891|1942||American|painter
Edward Hopper|m|1882|1967|Nyack,US-NY|American|painter
Andy Warhol|m|1928|1987|Pittsburgh,US-PA|American|artist
Jackson Pollock|m|1912|1956|Cody,US-WY|American|painter
Mark Rothko|m|1903|1970|Daugavpils,LV|American|painter
James McNeill Whistler|m|1834|1903|Lowell,US-MA|American|painter
Winslow Homer|m|1836|1910|Boston,US-MA|American|painter
Katsushika Hokusai|m|1760|1849|Tokyo,JP|Japanese|printmaker
Utagawa Hiroshige|m|1797|1858|Tokyo,JP|Japanese|printmaker
Jan Matejko|m|1838|1893|Kraków,PL|Polish|painter
Amedeo Modigliani|m|1884|1920|Livorno,IT|Italian|painter
Giorgio de Chirico|m|1888|1978|Vólos,GR|Italian|painter
Francis Bacon (artist)|m|1909|1992|Dublin,IE|Irish-born British|painter
Francis Bacon|m|1561|1626|London,GB|English|philosopher
Isaac Newton|m|1643|1727||English|physicist
Galileo Galilei|m|1564|1642|Pisa,IT|Italian|astronomer
Nicolaus Copernicus|m|1473|1543|Toruń,PL|Polish|astronomer
Johannes Kepler|m|1571|1630|Weil der Stadt,DE|German|astronomer
Christiaan Huygens|m|1629|1695|The Hague,NL|Dutch|physicist and astronomer
Giovanni Domenico Cassini|m|1625|1712||Italian-French|astronomer
William Herschel|m|1738|1822|Hannover,DE|German-British|astronomer
Caroline Herschel|f|1750|1848|Hannover,DE|German-British|astronomer
Asaph Hall|m|1829|1907||American|astronomer
William Lassell|m|1799|1880|Bolton,GB|English|astronomer
Gerard Kuiper|m|1905|1973||Dutch-American|astronomer
William Henry Pickering|m|1858|1938|Boston,US-MA|American|astronomer
Edward Emerson Barnard|m|1857|1923|Nashville,US-TN|American|astronomer
Seth Nicholson|m|1891|1963|Springfield,US-IL|American|astronomer
James Christy|m|1938||Milwaukee,US-WI|American|astronomer
Clyde Tombaugh|m|1906|1997|Streator,US-IL|American|astronomer
Johann Gottfried Galle|m|1812|1910||German|astronomer
Giuseppe Piazzi|m|1746|1826||Italian|astronomer
Heinrich Wilhelm Olbers|m|1758|1840||German|astronomer
Karl Ludwig Harding|m|1765|1834||German|astronomer
Charles Dillon Perrine|m|1867|1951|Steubenville,US-OH|American-Argentine|astronomer
William Cranch Bond|m|1789|1859||American|astronomer
Johannes Hevelius|m|1611|1687|Gdańsk,PL|Polish|astronomer
Nicolas-Louis de Lacaille|m|1713|1762||French|astronomer
Petrus Plancius|m|1552|1622||Flemish|mapmaker
Charles Darwin|m|1809|1882|Shrewsbury,GB|English|naturalist
Albert Einstein|m|1879|1955|Ulm,DE|German-born|physicist
Max Planck|m|1858|1947|Kiel,DE|German|physicist
Niels Bohr|m|1885|1962|Copenhagen,DK|Danish|physicist
Werner Heisenberg|m|1901|1976|Würzburg,DE|German|physicist
Erwin Schrödinger|m|1887|1961|Vienna,AT|Austrian|physicist
Enrico Fermi|m|1901|1954|Rome,IT|Italian-American|physicist
Marie Curie|f|1867|1934|Warsaw,PL|Polish-French|physicist and chemist
Pierre Curie|m|1859|1906|Paris,FR|French|physicist
Lise Meitner|f|1878|1968|Vienna,AT|Austrian-Swedish|physicist
Otto Hahn|m|1879|1968|Frankfurt am Main,DE|German|chemist
James Clerk Maxwell|m|1831|1879|Edinburgh,GB|Scottish|physicist
Alessandro Volta|m|1745|1827|Como,IT|Italian|physicist
Luigi Galvani|m|1737|1798|Bologna,IT|Italian|physician
André-Marie Ampère|m|1775|1836|Lyon,FR|French|physicist
Georg Ohm|m|1789|1854|Erlangen,DE|German|physicist
Heinrich Hertz|m|1857|1894|Hamburg,DE|German|physicist
Wilhelm Röntgen|m|1845|1923|Remscheid,DE|German|physicist
Louis Pasteur|m|1822|1895|Dole,FR|French|chemist
Antoine Lavoisier|m|1743|1794|Paris,FR|French|chemist
Dmitri Mendeleev|m|1834|1907|Tobolsk,RU|Russian|chemist
Alfred Nobel|m|1833|1896|Stockholm,SE|Swedish|chemist
Carl Linnaeus|m|1707|1778||Swedish|botanist
Anders Celsius|m|1701|1744|Uppsala,SE|Swedish|astronomer
Ole Rømer|m|1644|1710|Århus,DK|Danish|astronomer
Blaise Pascal|m|1623|1662|Clermont-Ferrand,FR|French|mathematician
René Descartes|m|1596|1650||French|philosopher
Leonhard Euler|m|1707|1783|Basel,CH|Swiss|mathematician
Carl Friedrich Gauss|m|1777|1855|Braunschweig,DE|German|mathematician
Gottfried Wilhelm Leibniz|m|1646|1716|Leipzig,DE|German|philosopher
David Hilbert|m|1862|1943||German|mathematician
Immanuel Kant|m|1724|1804|Kaliningrad,RU|German|philosopher
Karl Marx|m|1818|1883|Trier,DE|German|philosopher
Georg Wilhelm Friedrich Hegel|m|1770|1831|Stuttgart,DE|German|philosopher
Sigmund Freud|m|1856|1939|Příbor,CZ|Austrian|neurologist
Alexander Graham Bell|m|1847|1922|Edinburgh,GB|Scottish-born|inventor
Guglielmo Marconi|m|1874|1937|Bologna,IT|Italian|inventor
Srinivasa Ramanujan|m|1887|1920|Erode,IN|Indian|mathematician
Alan Turing|m|1912|1954|London,GB|English|mathematician
Paul Dirac|m|1902|1984|Bristol,GB|English|physicist
Adam Smith|m|1723|1790|Kirkcaldy,GB|Scottish|economist
Henry Cavendish|m|1731|1810|Nice,FR|English|chemist
Humphry Davy|m|1778|1829|Penzance,GB|English|chemist
Joseph Priestley|m|1733|1804||English|chemist
Carl Wilhelm Scheele|m|1742|1786|Stralsund,DE|Swedish|chemist
Daniel Rutherford|m|1749|1819|Edinburgh,GB|Scottish|chemist
William Ramsay|m|1852|1916|Glasgow,GB|Scottish|chemist
Henri Moissan|m|1852|1907|Paris,FR|French|chemist
Jöns Jacob Berzelius|m|1779|1848||Swedish|chemist
Johan August Arfwedson|m|1792|1841||Swedish|chemist
Lars Fredrik Nilson|m|1840|1899||Swedish|chemist
William Gregor|m|1761|1817||English|clergyman and mineralogist
Louis Nicolas Vauquelin|m|1763|1829||French|chemist
Johan Gottlieb Gahn|m|1745|1818||Swedish|chemist
Georg Brandt|m|1694|1768||Swedish|chemist
Axel Fredrik Cronstedt|m|1722|1765||Swedish|mineralogist
Paul-Émile Lecoq de Boisbaudran|m|1838|1912|Cognac,FR|French|chemist
Clemens Winkler|m|1838|1904|Freiberg,DE|German|chemist
Antoine Jérôme Balard|m|1802|1876|Montpellier,FR|French|chemist
Robert Bunsen|m|1811|1899|Göttingen,DE|German|chemist
Johan Gadolin|m|1760|1852|Turku,FI|Finnish|chemist
Martin Heinrich Klaproth|m|1743|1817|Wernigerode,DE|German|chemist
Charles Hatchett|m|1765|1847|London,GB|English|chemist
Emilio Segrè|m|1905|1989|Tivoli,IT|Italian-American|physicist
Karl Ernst Claus|m|1796|1864|Tartu,EE|Baltic German|chemist
William Hyde Wollaston|m|1766|1828|Dereham,GB|English|chemist
Friedrich Stromeyer|m|1776|1835|Göttingen,DE|German|chemist
Ferdinand Reich|m|1799|1882|Bernburg,DE|German|chemist
Bernard Courtois|m|1777|1838|Dijon,FR|French|chemist
Carl Gustaf Mosander|m|1797|1858|Kalmar,SE|Swedish|chemist
Carl Auer von Welsbach|m|1858|1929|Vienna,AT|Austrian|chemist
Eugène-Anatole Demarçay|m|1852|1903|Paris,FR|French|chemist
Jean Charles Galissard de Marignac|m|1817|1894|Geneva,CH|Swiss|chemist
Per Teodor Cleve|m|1840|1905|Stockholm,SE|Swedish|chemist
Georges Urbain|m|1872|1938|Paris,FR|French|chemist
George de Hevesy|m|1885|1966|Budapest,HU|Hungarian|chemist
Anders Gustaf Ekeberg|m|1767|1813|Stockholm,SE|Swedish|chemist
Fausto Elhuyar|m|1755|1833|Logroño,ES|Spanish|chemist
Walter Noddack|m|1893|1960|Berlin,DE|German|chemist
Smithson Tennant|m|1761|1815|Selby,GB|English|chemist
William Crookes|m|1832|1919|London,GB|English|chemist
Marguerite Perey|f|1909|1975|Villemomble,FR|French|physicist
André-Louis Debierne|m|1874|1949|Paris,FR|French|chemist
Glenn Seaborg|m|1912|1999||American|chemist
Edwin McMillan|m|1907|1991|Redondo Beach,US-CA|American|physicist
Albert Ghiorso|m|1915|2010|Vallejo,US-CA|American|nuclear scientist
Christopher Columbus|m|1451|1506|Genoa,IT|Italian|explorer
Marco Polo|m|1254|1324|Venice,IT|Venetian|traveller
Jacques Cartier|m|1491|1557|Saint-Malo,FR|French|explorer
Vitus Bering|m|1681|1741|Horsens,DK|Danish|explorer
Fridtjof Nansen|m|1861|1930|Oslo,NO|Norwegian|explorer
Edmund Hillary|m|1919|2008|Auckland,NZ|New Zealand|mountaineer
"""
