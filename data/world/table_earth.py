"""The earth, by hand: rivers, the cities on them, mountains, and the states of the United States."""

# name|where it ends|length in km|country of its mouth or main course
RIVERS = """
Danube|the Black Sea|2,850|
Rhine|the North Sea|1,230|
Elbe|the North Sea|1,094|
Oder|the Baltic Sea|854|
Vistula|the Baltic Sea|1,047|Poland
Weser|the North Sea|452|Germany
Main|the Rhine|525|Germany
Neckar|the Rhine|362|Germany
Moselle|the Rhine|544|
Isar|the Danube|295|
Inn|the Danube|518|
Salzach|the Inn|225|
Vltava|the Elbe|430|Czech Republic
Saale|the Elbe|413|Germany
Spree|the Havel|400|
Leine|the Aller|281|Germany
Seine|the English Channel|777|France
Loire|the Bay of Biscay|1,006|France
Garonne|the Gironde estuary|529|
Rhône|the Mediterranean Sea|813|
Saône|the Rhône|473|France
Doubs|the Saône|453|
Isère|the Rhône|286|France
Vienne|the Loire|372|France
Tarn|the Garonne|380|France
Thames|the North Sea|346|United Kingdom
Severn|the Bristol Channel|354|United Kingdom
Clyde|the Firth of Clyde|170|United Kingdom
Liffey|the Irish Sea|132|Ireland
Tagus|the Atlantic Ocean|1,007|
Douro|the Atlantic Ocean|897|
Ebro|the Mediterranean Sea|930|Spain
Guadalquivir|the Atlantic Ocean|657|Spain
Manzanares|the Jarama|92|Spain
Arno|the Tyrrhenian Sea|241|Italy
Tiber|the Tyrrhenian Sea|405|Italy
Po|the Adriatic Sea|652|Italy
Adige|the Adriatic Sea|410|Italy
Sava|the Danube|990|
Drava|the Danube|710|
Tisza|the Danube|966|
Nišava|the Južna Morava|202|
Vardar|the Aegean Sea|388|
Maritsa|the Aegean Sea|480|
Iskar|the Danube|368|Bulgaria
Dâmbovița|the Argeș|286|Romania
Mureș|the Tisza|789|
Dnieper|the Black Sea|2,201|
Dniester|the Black Sea|1,362|
Southern Bug|the Black Sea|806|Ukraine
Don|the Sea of Azov|1,870|Russia
Volga|the Caspian Sea|3,531|Russia
Oka|the Volga|1,500|Russia
Kama|the Volga|1,805|Russia
Moskva|the Oka|473|Russia
Neva|the Gulf of Finland|74|Russia
Ural|the Caspian Sea|2,428|
Ob|the Kara Sea|3,650|Russia
Irtysh|the Ob|4,248|
Yenisei|the Kara Sea|3,487|
Lena|the Laptev Sea|4,294|Russia
Amur|the Sea of Okhotsk|2,824|
Daugava|the Gulf of Riga|1,020|
Neman|the Curonian Lagoon|937|
Neris|the Neman|510|
Svislach|the Berezina|327|Belarus
Kura|the Caspian Sea|1,515|
Hrazdan|the Aras|141|Armenia
Tigris|the Shatt al-Arab|1,900|
Euphrates|the Shatt al-Arab|2,800|
Jordan|the Dead Sea|251|
Nile|the Mediterranean Sea|6,650|Egypt
Blue Nile|the Nile|1,450|
Niger|the Gulf of Guinea|4,180|Nigeria
Benue|the Niger|1,400|
Senegal|the Atlantic Ocean|1,641|
Gambia|the Atlantic Ocean|1,120|
Congo|the Atlantic Ocean|4,700|
Ubangi|the Congo|1,060|
Zambezi|the Indian Ocean|2,574|Mozambique
Limpopo|the Indian Ocean|1,750|
Orange|the Atlantic Ocean|2,200|
Chari|Lake Chad|1,400|
Indus|the Arabian Sea|3,180|Pakistan
Ravi|the Chenab|720|
Ganges|the Bay of Bengal|2,525|
Yamuna|the Ganges|1,376|India
Gomti|the Ganges|960|India
Hooghly|the Bay of Bengal|260|India
Brahmaputra|the Ganges|2,900|
Narmada|the Arabian Sea|1,312|India
Sabarmati|the Gulf of Khambhat|371|India
Musi|the Krishna|240|India
Godavari|the Bay of Bengal|1,465|India
Krishna|the Bay of Bengal|1,400|India
Irrawaddy|the Andaman Sea|2,210|Myanmar
Salween|the Andaman Sea|3,289|
Chao Phraya|the Gulf of Thailand|372|Thailand
Mekong|the South China Sea|4,350|Vietnam
Red River|the Gulf of Tonkin|1,149|Vietnam
Yangtze|the East China Sea|6,300|China
Han River (China)|the Yangtze|1,532|China
Yellow River|the Bohai Sea|5,464|China
Fen River|the Yellow River|694|China
Songhua|the Amur|1,434|China
Xiang|the Yangtze|856|China
Han River (Korea)|the Yellow Sea|494|South Korea
Taedong|the Korea Bay|439|North Korea
Kabul River|the Indus|700|
Syr Darya|the Aral Sea|2,212|
Mississippi|the Gulf of Mexico|3,766|United States
Missouri River|the Mississippi|3,767|United States
Ohio River|the Mississippi|1,579|United States
Allegheny|the Ohio River|523|United States
Arkansas River|the Mississippi|2,364|United States
Colorado River|the Gulf of California|2,330|
Columbia River|the Pacific Ocean|2,000|United States
Willamette|the Columbia River|301|United States
Hudson|the Atlantic Ocean|507|United States
Potomac|the Chesapeake Bay|652|United States
James River|the Chesapeake Bay|560|United States
Cumberland|the Ohio River|1,107|United States
Tennessee River|the Ohio River|1,049|United States
Rio Grande|the Gulf of Mexico|3,051|
Yukon|the Bering Sea|3,190|
Mackenzie|the Beaufort Sea|1,738|Canada
Fraser|the Salish Sea|1,375|Canada
Saint Lawrence River|the Gulf of Saint Lawrence|1,197|Canada
Ottawa River|the Saint Lawrence River|1,271|Canada
Bow River|the Oldman River|623|Canada
North Saskatchewan River|the Saskatchewan River|1,287|Canada
Red River of the North|Lake Winnipeg|885|
Orinoco|the Atlantic Ocean|2,140|Venezuela
Magdalena|the Caribbean Sea|1,528|Colombia
Cauca|the Magdalena|1,350|Colombia
Amazon|the Atlantic Ocean|6,400|Brazil
Rio Negro|the Amazon|2,250|
Madeira|the Amazon|3,250|
Marañón|the Amazon|1,737|Peru
Paraná|the Río de la Plata|4,880|Argentina
Paraguay River|the Paraná|2,621|
Rímac|the Pacific Ocean|160|Peru
Mapocho|the Maipo|110|Chile
Murray|the Southern Ocean|2,508|Australia
Yarra|Port Phillip|242|Australia
Brisbane River|Moreton Bay|344|Australia
Torrens|the Gulf St Vincent|85|Australia
Swan|the Indian Ocean|72|Australia
Waikato|the Tasman Sea|425|New Zealand
"""

# river: the cities that lie on it, as GeoNames spells them
CITY_RIVERS = """
Danube:Vienna,AT;Budapest,HU;Bratislava,SK;Belgrade,RS;Linz,AT;Ulm,DE;Regensburg,DE
Danube:Ingolstadt,DE;Novi Sad,RS;Ruse,BG;Galaţi,RO;Brăila,RO;Passau,DE;Tulln,AT
Rhine:Köln,DE;Düsseldorf,DE;Bonn,DE;Mainz,DE;Mannheim,DE;Basel,CH;Karlsruhe,DE;Koblenz,DE;Strasbourg,FR;Duisburg,DE
Elbe:Hamburg,DE;Dresden,DE;Magdeburg,DE;Ústí nad Labem,CZ
Oder:Wrocław,PL;Szczecin,PL;Opole,PL;Frankfurt (Oder),DE;Ostrava,CZ
Vistula:Warsaw,PL;Kraków,PL;Toruń,PL;Płock,PL;Gdańsk,PL
Weser:Bremen,DE
Main:Frankfurt am Main,DE;Würzburg,DE;Offenbach,DE
Neckar:Stuttgart,DE;Heidelberg,DE;Heilbronn,DE;Tübingen,DE;Marbach am Neckar,DE
Moselle:Trier,DE;Metz,FR
Isar:Munich,DE;Landshut,DE
Inn:Innsbruck,AT;Rosenheim,DE
Salzach:Salzburg,AT
Vltava:Prague,CZ;České Budějovice,CZ
Saale:Halle (Saale),DE;Jena,DE;Bernburg,DE
Spree:Berlin,DE;Cottbus,DE
Leine:Hannover,DE;Göttingen,DE
Seine:Paris,FR;Rouen,FR;Le Havre,FR;Troyes,FR
Loire:Nantes,FR;Orléans,FR;Tours,FR;Angers,FR
Garonne:Toulouse,FR;Bordeaux,FR
Rhône:Lyon,FR;Geneva,CH;Avignon,FR
Saône:Chalon-sur-Saône,FR;Mâcon,FR
Doubs:Besançon,FR;Dole,FR
Isère:Grenoble,FR
Vienne:Limoges,FR
Tarn:Albi,FR;Montauban,FR
Thames:London,GB;Oxford,GB;Reading,GB
Severn:Shrewsbury,GB;Worcester,GB;Gloucester,GB
Clyde:Glasgow,GB
Liffey:Dublin,IE
Tagus:Lisbon,PT;Toledo,ES
Douro:Porto,PT;Zamora,ES
Ebro:Zaragoza,ES;Logroño,ES
Guadalquivir:Sevilla,ES;Córdoba,ES
Manzanares:Madrid,ES
Arno:Florence,IT;Pisa,IT
Tiber:Rome,IT
Po:Turin,IT;Cremona,IT;Piacenza,IT
Adige:Verona,IT;Trento,IT
Sava:Zagreb,HR
Drava:Maribor,SI;Osijek,HR
Tisza:Szeged,HU;Szolnok,HU
Nišava:Niš,RS
Vardar:Skopje,MK
Maritsa:Plovdiv,BG;Edirne,TR
Dâmbovița:Bucharest,RO
Mureș:Arad,RO
Dnieper:Kyiv,UA;Dnipro,UA;Kherson,UA;Zaporizhzhya,UA;Smolensk,RU
Southern Bug:Vinnytsya,UA;Mykolayiv,UA
Don:Rostov-na-Donu,RU
Volga:Nizhniy Novgorod,RU;Volgograd,RU;Samara,RU;Saratov,RU;Astrakhan,RU;Yaroslavl,RU;Kazan,RU
Oka:Orël,RU;Ryazan,RU;Kaluga,RU
Kama:Perm,RU
Moskva:Moscow,RU
Neva:Saint Petersburg,RU
Ural:Orenburg,RU;Atyrau,KZ
Ob:Novosibirsk,RU;Barnaul,RU
Irtysh:Omsk,RU;Tobolsk,RU;Pavlodar,KZ
Yenisei:Krasnoyarsk,RU
Lena:Yakutsk,RU
Amur:Khabarovsk,RU;Blagoveshchensk,RU
Daugava:Riga,LV;Daugavpils,LV;Vitebsk,BY
Neman:Kaunas,LT;Grodno,BY
Neris:Vilnius,LT
Svislach:Minsk,BY
Kura:Tbilisi,GE
Hrazdan:Yerevan,AM
Tigris:Baghdad,IQ;Mosul,IQ
Nile:Cairo,EG;Luxor,EG;Aswan,EG;Juba,SS
Blue Nile:Khartoum,SD
Niger:Bamako,ML;Niamey,NE
Benue:Makurdi,NG
Senegal:Saint-Louis,SN
Gambia:Banjul,GM
Congo:Kinshasa,CD;Brazzaville,CG;Kisangani,CD
Ubangi:Bangui,CF
Chari:N'Djamena,TD
Indus:Sukkur,PK
Ravi:Lahore,PK
Ganges:Varanasi,IN;Patna,IN;Kanpur,IN
Yamuna:Agra,IN;Delhi,IN
Gomti:Lucknow,IN
Hooghly:Kolkata,IN
Brahmaputra:Guwahati,IN
Sabarmati:Ahmedabad,IN
Musi:Hyderabad,IN
Irrawaddy:Mandalay,MM
Chao Phraya:Bangkok,TH
Mekong:Phnom Penh,KH;Vientiane,LA;Luang Prabang,LA
Red River:Hanoi,VN
Yangtze:Wuhan,CN;Nanjing,CN;Chongqing,CN
Yellow River:Lanzhou,CN
Fen River:Taiyuan,CN
Songhua:Harbin,CN
Xiang:Changsha,CN
Han River (Korea):Seoul,KR
Taedong:Pyongyang,KP
Kabul River:Kabul,AF
Mississippi:New Orleans,US-LA;Memphis,US-TN;Saint Paul,US-MN;Minneapolis,US-MN;Baton Rouge,US-LA
Missouri River:Omaha,US-NE;Kansas City,US-MO;Bismarck,US-ND
Ohio River:Louisville,US-KY;Cincinnati,US-OH;Pittsburgh,US-PA;Evansville,US-IN;Steubenville,US-OH
Arkansas River:Tulsa,US-OK;Little Rock,US-AR;Wichita,US-KS;Pueblo,US-CO
Colorado River:Yuma,US-AZ
Willamette:Portland,US-OR;Salem,US-OR;Eugene,US-OR
Hudson:New York City,US-NY;Albany,US-NY;Nyack,US-NY
Potomac:Alexandria,US-VA
James River:Richmond,US-VA
Cumberland:Nashville,US-TN
Tennessee River:Knoxville,US-TN;Chattanooga,US-TN
Rio Grande:Albuquerque,US-NM;El Paso,US-TX;Laredo,US-TX
Saint Lawrence River:Montréal,CA;Quebec,CA
Ottawa River:Ottawa,CA;Gatineau,CA
Bow River:Calgary,CA
North Saskatchewan River:Edmonton,CA
Red River of the North:Winnipeg,CA;Fargo,US-ND
Orinoco:Ciudad Bolívar,VE
Amazon:Iquitos,PE
Rio Negro:Manaus,BR
Madeira:Porto Velho,BR
Paraná:Rosario,AR;Santa Fe,AR
Paraguay River:Asunción,PY
Rímac:Lima,PE
Mapocho:Santiago,CL
Yarra:Melbourne,AU
Brisbane River:Brisbane,AU
Torrens:Adelaide,AU
Swan:Perth,AU
Waikato:Hamilton,NZ
"""

# name|height in m|country|range|year of the first recorded ascent, where it is well known
MOUNTAINS = """
Mount Everest|8,849|Nepal|the Himalayas|1953
Kangchenjunga|8,586|Nepal|the Himalayas|1955
Lhotse|8,516|Nepal|the Himalayas|1956
Makalu|8,485|Nepal|the Himalayas|1955
Cho Oyu|8,188|Nepal|the Himalayas|1954
Dhaulagiri|8,167|Nepal|the Himalayas|1960
Manaslu|8,163|Nepal|the Himalayas|1956
Annapurna|8,091|Nepal|the Himalayas|1950
Ama Dablam|6,812|Nepal|the Himalayas|1961
Nanga Parbat|8,126|Pakistan|the Himalayas|1953
Broad Peak|8,051|Pakistan|the Karakoram|1957
Rakaposhi|7,788|Pakistan|the Karakoram|1958
Tirich Mir|7,708|Pakistan|the Hindu Kush|1950
Masherbrum|7,821|Pakistan|the Karakoram|1960
Nanda Devi|7,816|India|the Himalayas|1936
Trisul|7,120|India|the Himalayas|1907
Shishapangma|8,027|China|the Himalayas|1964
Gongga|7,556|China|the Hengduan Mountains|1932
Muztagh Ata|7,546|China|the Kunlun Mountains|1956
Ismoil Somoni Peak|7,495|Tajikistan|the Pamirs|1933
Jengish Chokusu|7,439|Kyrgyzstan|the Tian Shan|1956
Khan Tengri|7,010|Kazakhstan|the Tian Shan|1931
Noshaq|7,492|Afghanistan|the Hindu Kush|1960
Gangkhar Puensum|7,570|Bhutan|the Himalayas|
Damavand|5,609|Iran|the Alborz|
Mount Ararat|5,137|Turkey|the Armenian Highlands|1829
Mount Erciyes|3,917|Turkey|the Taurus Mountains|
Elbrus|5,642|Russia|the Caucasus|1874
Belukha|4,506|Russia|the Altai|1914
Klyuchevskaya Sopka|4,754|Russia|the Eastern Range of Kamchatka|1788
Mount Narodnaya|1,895|Russia|the Urals|
Shkhara|5,193|Georgia|the Caucasus|1888
Ushba|4,710|Georgia|the Caucasus|1888
Mount Aragats|4,090|Armenia|the Armenian Highlands|
Mount Bazardüzü|4,466|Azerbaijan|the Caucasus|
Mont Blanc|4,806|France|the Alps|1786
Barre des Écrins|4,102|France|the Alps|1864
Mont Ventoux|1,910|France|the Alps|
Puy de Sancy|1,885|France|the Massif Central|
Eiger|3,967|Switzerland|the Alps|1858
Jungfrau|4,158|Switzerland|the Alps|1811
Finsteraarhorn|4,274|Switzerland|the Alps|
Weisshorn|4,506|Switzerland|the Alps|1861
Piz Bernina|4,049|Switzerland|the Alps|1850
Gran Paradiso|4,061|Italy|the Alps|1860
Marmolada|3,343|Italy|the Dolomites|1864
Mount Etna|3,357|Italy||
Gran Sasso|2,912|Italy|the Apennines|1573
Grossglockner|3,798|Austria|the Alps|1800
Dachstein|2,995|Austria|the Alps|1832
Zugspitze|2,962|Germany|the Alps|1820
Watzmann|2,713|Germany|the Alps|1800
Brocken|1,141|Germany|the Harz|
Triglav|2,864|Slovenia|the Alps|1778
Gerlachovský štít|2,655|Slovakia|the Tatras|
Rysy|2,501|Poland|the Tatras|1840
Sněžka|1,603|Czech Republic|the Giant Mountains|
Moldoveanu|2,544|Romania|the Carpathians|
Hoverla|2,061|Ukraine|the Carpathians|
Musala|2,925|Bulgaria|the Rila Mountains|
Botev Peak|2,376|Bulgaria|the Balkan Mountains|
Mount Olympus|2,917|Greece||1913
Mount Parnassus|2,457|Greece||
Mount Korab|2,764|Albania|the Korab Mountains|
Durmitor|2,523|Montenegro|the Dinaric Alps|
Maglić|2,386|Bosnia and Herzegovina|the Dinaric Alps|
Mulhacén|3,479|Spain|the Sierra Nevada|
Aneto|3,404|Spain|the Pyrenees|1842
Teide|3,715|Spain||
Galdhøpiggen|2,469|Norway|the Jotunheimen|1850
Kebnekaise|2,097|Sweden|the Scandinavian Mountains|1883
Ben Nevis|1,345|United Kingdom|the Grampian Mountains|1771
Snowdon|1,085|United Kingdom|Snowdonia|
Scafell Pike|978|United Kingdom|the Lake District|
Carrauntoohil|1,039|Ireland|the MacGillycuddy's Reeks|
Hvannadalshnjúkur|2,110|Iceland||
Hekla|1,491|Iceland||1750
Kilimanjaro|5,895|Tanzania||1889
Mount Meru|4,566|Tanzania||
Mount Kenya|5,199|Kenya||1899
Mount Elgon|4,321|Uganda||
Mount Stanley|5,109|Uganda|the Rwenzori Mountains|1906
Ras Dashen|4,550|Ethiopia|the Simien Mountains|
Toubkal|4,167|Morocco|the Atlas Mountains|
Mount Cameroon|4,040|Cameroon||
Thabana Ntlenyana|3,482|Lesotho|the Drakensberg|
Emi Koussi|3,415|Chad|the Tibesti Mountains|
Mount Nyiragongo|3,470|Democratic Republic of the Congo|the Virunga Mountains|
Karisimbi|4,507|Rwanda|the Virunga Mountains|
Denali|6,190|United States|the Alaska Range|1913
Mount Whitney|4,421|United States|the Sierra Nevada|1873
Mount Rainier|4,392|United States|the Cascade Range|1870
Mount Elbert|4,401|United States|the Rocky Mountains|
Pikes Peak|4,302|United States|the Rocky Mountains|1820
Mount Hood|3,429|United States|the Cascade Range|
Mount Mitchell|2,037|United States|the Appalachians|
Mauna Kea|4,207|United States||
Mount Logan|5,959|Canada|the Saint Elias Mountains|1925
Mount Robson|3,954|Canada|the Rocky Mountains|1913
Pico de Orizaba|5,636|Mexico|the Trans-Mexican Volcanic Belt|1848
Popocatépetl|5,393|Mexico|the Trans-Mexican Volcanic Belt|
Tajumulco|4,220|Guatemala|the Sierra Madre|
Chirripó|3,821|Costa Rica|the Talamanca Range|
Pico Duarte|3,101|Dominican Republic|the Cordillera Central|
Blue Mountain Peak|2,256|Jamaica|the Blue Mountains|
Pico Bolívar|4,978|Venezuela|the Andes|1935
Chimborazo|6,263|Ecuador|the Andes|1880
Cotopaxi|5,897|Ecuador|the Andes|1872
Huascarán|6,768|Peru|the Andes|1932
Alpamayo|5,947|Peru|the Andes|
Sajama|6,542|Bolivia|the Andes|1939
Illimani|6,438|Bolivia|the Andes|1898
Aconcagua|6,961|Argentina|the Andes|1897
Pissis|6,795|Argentina|the Andes|1937
Mercedario|6,720|Argentina|the Andes|1934
Ojos del Salado|6,893|Chile|the Andes|1937
Pico da Neblina|2,995|Brazil|the Guiana Highlands|1965
Mount Fuji|3,776|Japan||
Mount Kita|3,193|Japan|the Akaishi Mountains|
Paektu|2,744|North Korea|the Changbai Mountains|
Hallasan|1,947|South Korea||
Yushan|3,952|Taiwan|the Yushan Range|
Fansipan|3,143|Vietnam|the Hoang Lien Son|
Hkakabo Razi|5,881|Myanmar|the Himalayas|1996
Mount Kinabalu|4,095|Malaysia|the Crocker Range|1858
Mount Apo|2,954|Philippines||1880
Mount Merapi|2,910|Indonesia||
Puncak Jaya|4,884|Indonesia|the Sudirman Range|1962
Mount Rinjani|3,726|Indonesia||
Mount Wilhelm|4,509|Papua New Guinea|the Bismarck Range|1938
Mount Kosciuszko|2,228|Australia|the Great Dividing Range|1840
Aoraki|3,724|New Zealand|the Southern Alps|1894
Mount Ruapehu|2,797|New Zealand||
Adam's Peak|2,243|Sri Lanka||
"""

# name|capital|year of admission|nickname
STATES = """
Alabama|Montgomery|1819|the Yellowhammer State
Alaska|Juneau|1959|the Last Frontier
Arizona|Phoenix|1912|the Grand Canyon State
Arkansas|Little Rock|1836|the Natural State
California|Sacramento|1850|the Golden State
Colorado|Denver|1876|the Centennial State
Connecticut|Hartford|1788|the Constitution State
Delaware|Dover|1787|the First State
Florida|Tallahassee|1845|the Sunshine State
Georgia|Atlanta|1788|the Peach State
Hawaii|Honolulu|1959|the Aloha State
Idaho|Boise|1890|the Gem State
Illinois|Springfield|1818|the Prairie State
Indiana|Indianapolis|1816|the Hoosier State
Iowa|Des Moines|1846|the Hawkeye State
Kansas|Topeka|1861|the Sunflower State
Kentucky|Frankfort|1792|the Bluegrass State
Louisiana|Baton Rouge|1812|the Pelican State
Maine|Augusta|1820|the Pine Tree State
Maryland|Annapolis|1788|the Old Line State
Massachusetts|Boston|1788|the Bay State
Michigan|Lansing|1837|the Great Lakes State
Minnesota|Saint Paul|1858|the North Star State
Mississippi|Jackson|1817|the Magnolia State
Missouri|Jefferson City|1821|the Show-Me State
Montana|Helena|1889|the Treasure State
Nebraska|Lincoln|1867|the Cornhusker State
Nevada|Carson City|1864|the Silver State
New Hampshire|Concord|1788|the Granite State
New Jersey|Trenton|1787|the Garden State
New Mexico|Santa Fe|1912|the Land of Enchantment
New York|Albany|1788|the Empire State
North Carolina|Raleigh|1789|the Tar Heel State
North Dakota|Bismarck|1889|the Peace Garden State
Ohio|Columbus|1803|the Buckeye State
Oklahoma|Oklahoma City|1907|the Sooner State
Oregon|Salem|1859|the Beaver State
Pennsylvania|Harrisburg|1787|the Keystone State
Rhode Island|Providence|1790|the Ocean State
South Carolina|Columbia|1788|the Palmetto State
South Dakota|Pierre|1889|the Mount Rushmore State
Tennessee|Nashville|1796|the Volunteer State
Texas|Austin|1845|the Lone Star State
Utah|Salt Lake City|1896|the Beehive State
Vermont|Montpelier|1791|the Green Mountain State
Virginia|Richmond|1788|the Old Dominion
Washington|Olympia|1889|the Evergreen State
West Virginia|Charleston|1863|the Mountain State
Wisconsin|Madison|1848|the Badger State
Wyoming|Cheyenne|1890|the Equality State
"""
