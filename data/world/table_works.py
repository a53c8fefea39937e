"""Books, stage works, music and pictures, by hand: a line is title|kind|creator|year|hero or place.

For what is told the last part is a leading figure; for pictures it is the city in which they hang. It may be missing.
The year is that of publication, first performance or completion.
"""

WORKS = """
The Trial|novel|Franz Kafka|1925|Josef K
The Castle|novel|Franz Kafka|1926|
The Metamorphosis|novella|Franz Kafka|1915|Gregor Samsa
Crime and Punishment|novel|Fyodor Dostoevsky|1866|Rodion Raskolnikov
The Idiot|novel|Fyodor Dostoevsky|1869|Prince Myshkin
The Brothers Karamazov|novel|Fyodor Dostoevsky|1880|Alyosha
War and Peace|novel|Leo Tolstoy|1869|Pierre Bezukhov
Anna Karenina|novel|Leo Tolstoy|1878|Konstantin Levin
The Cherry Orchard|play|Anton Chekhov|1904|Madame Ranevskaya
Uncle Vanya|play|Anton Chekhov|1899|
Eugene Onegin|verse novel|Alexander Pushkin|1833|Tatyana Larina
The Captain's Daughter|novel|Alexander Pushkin|1836|Pyotr Grinyov
Doctor Zhivago|novel|Boris Pasternak|1957|Yuri
Fathers and Sons|novel|Ivan Turgenev|1862|Yevgeny Bazarov
The Lower Depths|play|Maxim Gorky|1902|
Oliver Twist|novel|Charles Dickens|1838|
David Copperfield|novel|Charles Dickens|1850|
Great Expectations|novel|Charles Dickens|1861|Pip
A Tale of Two Cities|novel|Charles Dickens|1859|Sydney Carton
A Christmas Carol|novella|Charles Dickens|1843|Ebenezer Scrooge
Pride and Prejudice|novel|Jane Austen|1813|Elizabeth Bennet
Sense and Sensibility|novel|Jane Austen|1811|Elinor Dashwood
Emma|novel|Jane Austen|1815|
Persuasion|novel|Jane Austen|1817|Anne Elliot
Frankenstein|novel|Mary Shelley|1818|
The Last Man|novel|Mary Shelley|1826|Lionel Verney
A Study in Scarlet|novel|Arthur Conan Doyle|1887|Sherlock Holmes
The Hound of the Baskervilles|novel|Arthur Conan Doyle|1902|
The Lost World|novel|Arthur Conan Doyle|1912|Professor Challenger
Treasure Island|novel|Robert Louis Stevenson|1883|Jim Hawkins
Kidnapped|novel|Robert Louis Stevenson|1886|David Balfour
Animal Farm|novella|George Orwell|1945|Napoleon
Homage to Catalonia|memoir|George Orwell|1938|
Burmese Days|novel|George Orwell|1934|John Flory
The Jungle Book|story collection|Rudyard Kipling|1894|Mowgli
Kim|novel|Rudyard Kipling|1901|
The Picture of Dorian Gray|novel|Oscar Wilde|1891|
The Importance of Being Earnest|play|Oscar Wilde|1895|Jack Worthing
Ulysses|novel|James Joyce|1922|Leopold Bloom
Dubliners|story collection|James Joyce|1914|
Finnegans Wake|novel|James Joyce|1939|
Dracula|novel|Bram Stoker|1897|Jonathan Harker
Gulliver's Travels|novel|Jonathan Swift|1726|
Waiting for Godot|play|Samuel Beckett|1953|Vladimir and Estragon
Endgame|play|Samuel Beckett|1957|Hamm
Alice's Adventures in Wonderland|novel|Lewis Carroll|1865|
Through the Looking-Glass|novel|Lewis Carroll|1871|
Mrs Dalloway|novel|Virginia Woolf|1925|Clarissa
To the Lighthouse|novel|Virginia Woolf|1927|
Orlando|novel|Virginia Woolf|1928|
Murder on the Orient Express|novel|Agatha Christie|1934|Hercule Poirot
The Mousetrap|play|Agatha Christie|1952|
Death on the Nile|novel|Agatha Christie|1937|
Matilda|novel|Roald Dahl|1988|
Charlie and the Chocolate Factory|novel|Roald Dahl|1964|Willy Wonka
Under Milk Wood|radio play|Dylan Thomas|1954|
Buddenbrooks|novel|Thomas Mann|1901|
The Magic Mountain|novel|Thomas Mann|1924|Hans Castorp
Death in Venice|novella|Thomas Mann|1912|Gustav von Aschenbach
The Sorrows of Young Werther|novel|Johann Wolfgang von Goethe|1774|
Egmont|play|Johann Wolfgang von Goethe|1788|
The Robbers|play|Friedrich Schiller|1781|Karl Moor
William Tell|play|Friedrich Schiller|1804|
Steppenwolf|novel|Hermann Hesse|1927|Harry Haller
Siddhartha|novel|Hermann Hesse|1922|
The Glass Bead Game|novel|Hermann Hesse|1943|Josef Knecht
The Threepenny Opera|play with music|Bertolt Brecht|1928|Macheath
The Tin Drum|novel|Günter Grass|1959|Oskar Matzerath
All Quiet on the Western Front|novel|Erich Maria Remarque|1929|Paul Bäumer
Momo|novel|Michael Ende|1973|
The Neverending Story|novel|Michael Ende|1979|Bastian Balthazar Bux
Les Misérables|novel|Victor Hugo|1862|Jean Valjean
The Hunchback of Notre-Dame|novel|Victor Hugo|1831|Quasimodo
Around the World in Eighty Days|novel|Jules Verne|1872|Phileas Fogg
Twenty Thousand Leagues Under the Seas|novel|Jules Verne|1870|Captain Nemo
Michael Strogoff|novel|Jules Verne|1876|
Madame Bovary|novel|Gustave Flaubert|1857|
Salammbô|novel|Gustave Flaubert|1862|
The Red and the Black|novel|Stendhal|1830|Julien Sorel
The Charterhouse of Parma|novel|Stendhal|1839|Fabrice del Dongo
Father Goriot|novel|Honoré de Balzac|1835|Eugène de Rastignac
Eugénie Grandet|novel|Honoré de Balzac|1833|
Candide|novella|Voltaire|1759|
Zadig|novella|Voltaire|1747|
Swann's Way|novel|Marcel Proust|1913|
Germinal|novel|Émile Zola|1885|Étienne Lantier
Nana|novel|Émile Zola|1880|
The Stranger|novel|Albert Camus|1942|Meursault
The Plague|novel|Albert Camus|1947|Bernard Rieux
The Little Prince|novella|Antoine de Saint-Exupéry|1943|
Night Flight|novel|Antoine de Saint-Exupéry|1931|
Tartuffe|play|Molière|1664|
The Misanthrope|play|Molière|1666|Alceste
The Imaginary Invalid|play|Molière|1673|Argan
The Three Musketeers|novel|Alexandre Dumas|1844|
The Count of Monte Cristo|novel|Alexandre Dumas|1846|Edmond Dantès
La Galatea|pastoral novel|Miguel de Cervantes|1585|
Blood Wedding|play|Federico García Lorca|1933|
Yerma|play|Federico García Lorca|1934|
One Hundred Years of Solitude|novel|Gabriel García Márquez|1967|José Arcadio Buendía
Love in the Time of Cholera|novel|Gabriel García Márquez|1985|Florentino Ariza
Ficciones|story collection|Jorge Luis Borges|1944|
The Aleph|story collection|Jorge Luis Borges|1949|
The Time of the Hero|novel|Mario Vargas Llosa|1963|
The War of the End of the World|novel|Mario Vargas Llosa|1981|
Canto General|poem|Pablo Neruda|1950|
The House of the Spirits|novel|Isabel Allende|1982|Clara del Valle
The Labyrinth of Solitude|essay|Octavio Paz|1950|
The Death of Artemio Cruz|novel|Carlos Fuentes|1962|
Aura|novella|Carlos Fuentes|1962|Felipe Montero
Dom Casmurro|novel|Machado de Assis|1899|Bento Santiago
Captains of the Sands|novel|Jorge Amado|1937|Pedro Bala
The Adventures of Pinocchio|novel|Carlo Collodi|1883|
The Name of the Rose|novel|Umberto Eco|1980|William of Baskerville
Foucault's Pendulum|novel|Umberto Eco|1988|Casaubon
Six Characters in Search of an Author|play|Luigi Pirandello|1921|
The Betrothed|novel|Alessandro Manzoni|1827|Renzo and Lucia
The Prince|treatise|Niccolò Machiavelli|1532|
If This Is a Man|memoir|Primo Levi|1947|
The Periodic Table|story collection|Primo Levi|1975|
A Doll's House|play|Henrik Ibsen|1879|Nora Helmer
Hedda Gabler|play|Henrik Ibsen|1891|
The Wild Duck|play|Henrik Ibsen|1885|Hjalmar Ekdal
The Little Mermaid|fairy tale|Hans Christian Andersen|1837|
The Ugly Duckling|fairy tale|Hans Christian Andersen|1843|
The Snow Queen|fairy tale|Hans Christian Andersen|1844|Gerda
Out of Africa|memoir|Karen Blixen|1937|
Pippi Longstocking|novel|Astrid Lindgren|1945|
Ronia, the Robber's Daughter|novel|Astrid Lindgren|1981|
The Brothers Lionheart|novel|Astrid Lindgren|1973|
Miss Julie|play|August Strindberg|1888|
The Red Room|novel|August Strindberg|1879|Arvid Falk
The Summer Book|novel|Tove Jansson|1972|Sophia
Independent People|novel|Halldór Laxness|1934|Bjartur
Zorba the Greek|novel|Nikos Kazantzakis|1946|
Snow|novel|Orhan Pamuk|2002|Ka
My Name Is Red|novel|Orhan Pamuk|1998|
The Bridge on the Drina|novel|Ivo Andrić|1945|
The Unbearable Lightness of Being|novel|Milan Kundera|1984|Tomas
The Joke|novel|Milan Kundera|1967|Ludvik Jahn
War with the Newts|novel|Karel Čapek|1936|
The Good Soldier Švejk|novel|Jaroslav Hašek|1923|
Solaris|novel|Stanisław Lem|1961|Kris Kelvin
Quo Vadis|novel|Henryk Sienkiewicz|1896|Marcus Vinicius
Heart of Darkness|novella|Joseph Conrad|1899|Charles Marlow
Lord Jim|novel|Joseph Conrad|1900|
Nostromo|novel|Joseph Conrad|1904|
Fatelessness|novel|Imre Kertész|1975|György Köves
Auto-da-Fé|novel|Elias Canetti|1935|Peter Kien
The Royal Game|novella|Stefan Zweig|1942|
The Man Without Qualities|novel|Robert Musil|1930|Ulrich
Homo Faber|novel|Max Frisch|1957|Walter
The Blue Bird|play|Maurice Maeterlinck|1908|Tyltyl and Mytyl
The Social Contract|treatise|Jean-Jacques Rousseau|1762|
The Adventures of Tom Sawyer|novel|Mark Twain|1876|
Adventures of Huckleberry Finn|novel|Mark Twain|1884|
Moby-Dick|novel|Herman Melville|1851|Captain Ahab
Typee|novel|Herman Melville|1846|
The Raven|poem|Edgar Allan Poe|1845|
The Scarlet Letter|novel|Nathaniel Hawthorne|1850|Hester Prynne
The Sun Also Rises|novel|Ernest Hemingway|1926|Jake Barnes
The Old Man and the Sea|novella|Ernest Hemingway|1952|Santiago
A Farewell to Arms|novel|Ernest Hemingway|1929|Frederic Henry
The Grapes of Wrath|novel|John Steinbeck|1939|Tom Joad
Of Mice and Men|novella|John Steinbeck|1937|George and Lennie
East of Eden|novel|John Steinbeck|1952|Adam Trask
The Sound and the Fury|novel|William Faulkner|1929|
The Call of the Wild|novel|Jack London|1903|Buck
White Fang|novel|Jack London|1906|
The Bell Jar|novel|Sylvia Plath|1963|Esther Greenwood
Beloved|novel|Toni Morrison|1987|Sethe
Song of Solomon|novel|Toni Morrison|1977|Milkman Dead
Fahrenheit 451|novel|Ray Bradbury|1953|Guy Montag
The Martian Chronicles|story collection|Ray Bradbury|1950|
Slaughterhouse-Five|novel|Kurt Vonnegut|1969|Billy Pilgrim
Cat's Cradle|novel|Kurt Vonnegut|1963|
Gone with the Wind|novel|Margaret Mitchell|1936|Scarlett O'Hara
Little Women|novel|Louisa May Alcott|1868|Jo March
A Streetcar Named Desire|play|Tennessee Williams|1947|Blanche DuBois
The Glass Menagerie|play|Tennessee Williams|1944|Tom Wingfield
To Kill a Mockingbird|novel|Harper Lee|1960|Atticus Finch
The Handmaid's Tale|novel|Margaret Atwood|1985|Offred
The Blind Assassin|novel|Margaret Atwood|2000|
Things Fall Apart|novel|Chinua Achebe|1958|Okonkwo
Death and the King's Horseman|play|Wole Soyinka|1975|Elesin
July's People|novel|Nadine Gordimer|1981|
The Golden Notebook|novel|Doris Lessing|1962|Anna Wulf
The Grass Is Singing|novel|Doris Lessing|1950|
Palace Walk|novel|Naguib Mahfouz|1956|
Midaq Alley|novel|Naguib Mahfouz|1947|
Gitanjali|poetry collection|Rabindranath Tagore|1910|
Midnight's Children|novel|Salman Rushdie|1981|Saleem Sinai
Norwegian Wood|novel|Haruki Murakami|1987|Toru Watanabe
Kafka on the Shore|novel|Haruki Murakami|2002|
Snow Country|novel|Yasunari Kawabata|1948|Shimamura
The Sound of Waves|novel|Yukio Mishima|1954|Shinji
The Temple of the Golden Pavilion|novel|Yukio Mishima|1956|Mizoguchi
The Remains of the Day|novel|Kazuo Ishiguro|1989|Stevens
Never Let Me Go|novel|Kazuo Ishiguro|2005|
St Matthew Passion|oratorio|Johann Sebastian Bach|1727|
Messiah|oratorio|George Frideric Handel|1742|
Fidelio|opera|Ludwig van Beethoven|1805|Leonore
The Magic Flute|opera|Wolfgang Amadeus Mozart|1791|Tamino
Don Giovanni|opera|Wolfgang Amadeus Mozart|1787|
The Marriage of Figaro|opera|Wolfgang Amadeus Mozart|1786|Susanna
The Creation|oratorio|Joseph Haydn|1798|
Winterreise|song cycle|Franz Schubert|1828|
A German Requiem|choral work|Johannes Brahms|1868|
Elijah|oratorio|Felix Mendelssohn|1846|
Lohengrin|opera|Richard Wagner|1850|
Tannhäuser|opera|Richard Wagner|1845|
Parsifal|opera|Richard Wagner|1882|
Salome|opera|Richard Strauss|1905|
Elektra|opera|Richard Strauss|1909|
Der Rosenkavalier|opera|Richard Strauss|1911|
Der Freischütz|opera|Carl Maria von Weber|1821|Max
Carmina Burana|cantata|Carl Orff|1937|
The Four Seasons|set of concertos|Antonio Vivaldi|1725|
The Barber of Seville|opera|Gioachino Rossini|1816|Figaro
La Cenerentola|opera|Gioachino Rossini|1817|Angelina
Lucia di Lammermoor|opera|Gaetano Donizetti|1835|
Don Pasquale|opera|Gaetano Donizetti|1843|
Norma|opera|Vincenzo Bellini|1831|
La sonnambula|opera|Vincenzo Bellini|1831|Amina
Aida|opera|Giuseppe Verdi|1871|Radamès
Rigoletto|opera|Giuseppe Verdi|1851|
La traviata|opera|Giuseppe Verdi|1853|Violetta Valéry
Nabucco|opera|Giuseppe Verdi|1842|Abigaille
Tosca|opera|Giacomo Puccini|1900|Mario Cavaradossi
La bohème|opera|Giacomo Puccini|1896|Mimì
Madama Butterfly|opera|Giacomo Puccini|1904|
Turandot|opera|Giacomo Puccini|1926|Calaf
L'Orfeo|opera|Claudio Monteverdi|1607|
Pagliacci|opera|Ruggero Leoncavallo|1892|Canio
Cavalleria rusticana|opera|Pietro Mascagni|1890|Turiddu
Fountains of Rome|tone poem|Ottorino Respighi|1917|
Carmen|opera|Georges Bizet|1875|Don José
Symphonie fantastique|symphony|Hector Berlioz|1830|
Pelléas et Mélisande|opera|Claude Debussy|1902|Golaud
La mer|orchestral work|Claude Debussy|1905|
Boléro|orchestral work|Maurice Ravel|1928|
Samson and Delilah|opera|Camille Saint-Saëns|1877|
The Tales of Hoffmann|opera|Jacques Offenbach|1881|Olympia
Orpheus in the Underworld|operetta|Jacques Offenbach|1858|
Faust|opera|Charles Gounod|1859|Marguerite
Manon|opera|Jules Massenet|1884|
Werther|opera|Jules Massenet|1892|Charlotte
Finlandia|tone poem|Jean Sibelius|1900|
Bluebeard's Castle|opera|Béla Bartók|1918|Judith
Rusalka|opera|Antonín Dvořák|1901|
The Bartered Bride|opera|Bedřich Smetana|1866|Mařenka
Swan Lake|ballet|Pyotr Ilyich Tchaikovsky|1877|Odette
The Nutcracker|ballet|Pyotr Ilyich Tchaikovsky|1892|
The Queen of Spades|opera|Pyotr Ilyich Tchaikovsky|1890|Herman
Boris Godunov|opera|Modest Mussorgsky|1874|
Scheherazade|symphonic suite|Nikolai Rimsky-Korsakov|1888|
The Firebird|ballet|Igor Stravinsky|1910|
The Rite of Spring|ballet|Igor Stravinsky|1913|
Petrushka|ballet|Igor Stravinsky|1911|
The Nose|opera|Dmitri Shostakovich|1930|Kovalyov
Prince Igor|opera|Alexander Borodin|1890|Yaroslavna
Peter and the Wolf|symphonic tale|Sergei Prokofiev|1936|
Spartacus|ballet|Aram Khachaturian|1956|
The Three-Cornered Hat|ballet|Manuel de Falla|1919|
Concierto de Aranjuez|guitar concerto|Joaquín Rodrigo|1940|
Dido and Aeneas|opera|Henry Purcell|1689|
The Planets|orchestral suite|Gustav Holst|1918|
Peter Grimes|opera|Benjamin Britten|1945|Ellen Orford
Billy Budd|opera|Benjamin Britten|1951|Captain Vere
Rhapsody in Blue|concert piece|George Gershwin|1924|
Porgy and Bess|opera|George Gershwin|1935|
Appalachian Spring|ballet|Aaron Copland|1944|
Candide (operetta)|operetta|Leonard Bernstein|1956|Cunégonde
West Side Story|musical|Leonard Bernstein|1957|Tony and Maria
Einstein on the Beach|opera|Philip Glass|1976|
Akhnaten|opera|Philip Glass|1984|Nefertiti
Mona Lisa|painting|Leonardo da Vinci|1506|Paris,FR
The School of Athens|fresco|Raphael|1511|
The Birth of Venus|painting|Sandro Botticelli|1485|Florence,IT
The Night Watch|painting|Rembrandt|1642|Amsterdam,NL
Girl with a Pearl Earring|painting|Johannes Vermeer|1665|The Hague,NL
The Starry Night|painting|Vincent van Gogh|1889|New York City,US-NY
The Potato Eaters|painting|Vincent van Gogh|1885|Amsterdam,NL
Broadway Boogie Woogie|painting|Piet Mondrian|1943|New York City,US-NY
The Son of Man|painting|René Magritte|1964|
Impression, Sunrise|painting|Claude Monet|1872|Paris,FR
A Bar at the Folies-Bergère|painting|Édouard Manet|1882|London,GB
Bal du moulin de la Galette|painting|Pierre-Auguste Renoir|1876|Paris,FR
The Yellow Christ|painting|Paul Gauguin|1889|Buffalo,US-NY
Bathers at Asnières|painting|Georges Seurat|1884|London,GB
The Sleeping Gypsy|painting|Henri Rousseau|1897|New York City,US-NY
Liberty Leading the People|painting|Eugène Delacroix|1830|Paris,FR
The Raft of the Medusa|painting|Théodore Géricault|1819|Paris,FR
Grande Odalisque|painting|Jean-Auguste-Dominique Ingres|1814|Paris,FR
The Death of Marat|painting|Jacques-Louis David|1793|Brussels,BE
Guernica|painting|Pablo Picasso|1937|Madrid,ES
Les Demoiselles d'Avignon|painting|Pablo Picasso|1907|New York City,US-NY
The Persistence of Memory|painting|Salvador Dalí|1931|New York City,US-NY
Las Meninas|painting|Diego Velázquez|1656|Madrid,ES
The Third of May 1808|painting|Francisco Goya|1814|Madrid,ES
The Scream|painting|Edvard Munch|1893|Oslo,NO
Wanderer above the Sea of Fog|painting|Caspar David Friedrich|1818|Hamburg,DE
Black Square|painting|Kazimir Malevich|1915|Moscow,RU
I and the Village|painting|Marc Chagall|1911|New York City,US-NY
Barge Haulers on the Volga|painting|Ilya Repin|1873|Saint Petersburg,RU
The Ninth Wave|painting|Ivan Aivazovsky|1850|Saint Petersburg,RU
The Slav Epic|cycle of paintings|Alphonse Mucha|1928|
The Two Fridas|painting|Frida Kahlo|1939|Mexico City,MX
American Gothic|painting|Grant Wood|1930|Chicago,US-IL
Nighthawks|painting|Edward Hopper|1942|Chicago,US-IL
Campbell's Soup Cans|set of paintings|Andy Warhol|1962|New York City,US-NY
Battle of Grunwald|painting|Jan Matejko|1878|Warsaw,PL
The Kiss|painting|Gustav Klimt|1908|Vienna,AT
Judith and the Head of Holofernes|painting|Gustav Klimt|1901|Vienna,AT
On the Origin of Species|scientific book|Charles Darwin|1859|
The Interpretation of Dreams|scientific book|Sigmund Freud|1899|
Critique of Pure Reason|treatise|Immanuel Kant|1781|
The Phenomenology of Spirit|treatise|Georg Wilhelm Friedrich Hegel|1807|
The Wealth of Nations|treatise|Adam Smith|1776|
Das Kapital|treatise|Karl Marx|1867|
Sidereus Nuncius|astronomical treatise|Galileo Galilei|1610|
Novum Organum|treatise|Francis Bacon|1620|
Species Plantarum|botanical book|Carl Linnaeus|1753|
Discourse on the Method|treatise|René Descartes|1637|
"""
