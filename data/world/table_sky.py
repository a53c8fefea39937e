"""The sky and the discoverers of the elements, by hand. A constellation is name|what it shows|who drew it|short."""

CONSTELLATIONS = """
Andromeda|a chained princess|Ptolemy|And
Antlia|an air pump|Nicolas-Louis de Lacaille|Ant
Apus|a bird of paradise|Petrus Plancius|Aps
Aquarius|a water carrier|Ptolemy|Aqr
Aquila|an eagle|Ptolemy|Aql
Ara|an altar|Ptolemy|Ara
Aries|a ram|Ptolemy|Ari
Auriga|a charioteer|Ptolemy|Aur
Boötes|a herdsman|Ptolemy|Boo
Caelum|a chisel|Nicolas-Louis de Lacaille|Cae
Camelopardalis|a giraffe|Petrus Plancius|Cam
Cancer|a crab|Ptolemy|Cnc
Canes Venatici|two hunting dogs|Johannes Hevelius|CVn
Canis Major|a large dog|Ptolemy|CMa
Canis Minor|a small dog|Ptolemy|CMi
Capricornus|a sea goat|Ptolemy|Cap
Carina|the keel of a ship|Nicolas-Louis de Lacaille|Car
Cassiopeia|a vain queen|Ptolemy|Cas
Centaurus|a centaur|Ptolemy|Cen
Cepheus|a king of Aethiopia|Ptolemy|Cep
Cetus|a sea monster|Ptolemy|Cet
Chamaeleon|a chameleon|Petrus Plancius|Cha
Circinus|a pair of compasses|Nicolas-Louis de Lacaille|Cir
Columba|a dove|Petrus Plancius|Col
Corona Australis|a southern crown|Ptolemy|CrA
Corona Borealis|a northern crown|Ptolemy|CrB
Corvus|a crow|Ptolemy|Crv
Crater|a cup|Ptolemy|Crt
Crux|a cross|Petrus Plancius|Cru
Cygnus|a swan|Ptolemy|Cyg
Delphinus|a dolphin|Ptolemy|Del
Dorado|a dolphinfish|Petrus Plancius|Dor
Draco|a dragon|Ptolemy|Dra
Equuleus|a foal|Ptolemy|Equ
Eridanus|a winding river|Ptolemy|Eri
Fornax|a furnace|Nicolas-Louis de Lacaille|For
Gemini|a pair of twins|Ptolemy|Gem
Grus|a crane|Petrus Plancius|Gru
Hercules|a kneeling hero|Ptolemy|Her
Horologium|a pendulum clock|Nicolas-Louis de Lacaille|Hor
Hydra|a water serpent|Ptolemy|Hya
Hydrus|a small water snake|Petrus Plancius|Hyi
Indus|an Indian|Petrus Plancius|Ind
Lacerta|a lizard|Johannes Hevelius|Lac
Leo|a lion|Ptolemy|Leo
Leo Minor|a small lion|Johannes Hevelius|LMi
Lepus|a hare|Ptolemy|Lep
Libra|a pair of scales|Ptolemy|Lib
Lupus|a wolf|Ptolemy|Lup
Lynx|a wild cat|Johannes Hevelius|Lyn
Lyra|a small harp|Ptolemy|Lyr
Mensa|a table mountain|Nicolas-Louis de Lacaille|Men
Microscopium|a magnifying instrument|Nicolas-Louis de Lacaille|Mic
Monoceros|a unicorn|Petrus Plancius|Mon
Musca|a fly|Petrus Plancius|Mus
Norma|a carpenter's square|Nicolas-Louis de Lacaille|Nor
Octans|a navigator's instrument|Nicolas-Louis de Lacaille|Oct
Ophiuchus|a serpent bearer|Ptolemy|Oph
Orion|a hunter|Ptolemy|Ori
Pavo|a peacock|Petrus Plancius|Pav
Pegasus|a winged horse|Ptolemy|Peg
Perseus|a hero of Greek myth|Ptolemy|Per
Phoenix|a firebird|Petrus Plancius|Phe
Pictor|a painter's easel|Nicolas-Louis de Lacaille|Pic
Pisces|a pair of fish|Ptolemy|Psc
Piscis Austrinus|a southern fish|Ptolemy|PsA
Puppis|the stern of a ship|Nicolas-Louis de Lacaille|Pup
Pyxis|a mariner's compass|Nicolas-Louis de Lacaille|Pyx
Reticulum|a net in an eyepiece|Nicolas-Louis de Lacaille|Ret
Sagitta|an arrow|Ptolemy|Sge
Sagittarius|an archer|Ptolemy|Sgr
Scorpius|a scorpion|Ptolemy|Sco
Sculptor|a sculptor's studio|Nicolas-Louis de Lacaille|Scl
Scutum|a shield|Johannes Hevelius|Sct
Serpens|a snake|Ptolemy|Ser
Sextans|an astronomer's sextant|Johannes Hevelius|Sex
Taurus|a bull|Ptolemy|Tau
Telescopium|a telescope|Nicolas-Louis de Lacaille|Tel
Triangulum|a triangle|Ptolemy|Tri
Triangulum Australe|a southern triangle|Petrus Plancius|TrA
Tucana|a toucan|Petrus Plancius|Tuc
Ursa Major|a great bear|Ptolemy|UMa
Ursa Minor|a little bear|Ptolemy|UMi
Vela|the sails of a ship|Nicolas-Louis de Lacaille|Vel
Virgo|a maiden|Ptolemy|Vir
Volans|a flying fish|Petrus Plancius|Vol
Vulpecula|a fox|Johannes Hevelius|Vul
"""

# name|kind|what it circles|discoverer|year|diameter in km
BODIES = """
Phobos|moon|Mars|Asaph Hall|1877|22
Deimos|moon|Mars|Asaph Hall|1877|12
Io|moon|Jupiter|Galileo Galilei|1610|3,643
Europa|moon|Jupiter|Galileo Galilei|1610|3,122
Ganymede|moon|Jupiter|Galileo Galilei|1610|5,268
Callisto|moon|Jupiter|Galileo Galilei|1610|4,821
Amalthea|moon|Jupiter|Edward Emerson Barnard|1892|167
Himalia|moon|Jupiter|Charles Dillon Perrine|1904|140
Elara|moon|Jupiter|Charles Dillon Perrine|1905|80
Lysithea|moon|Jupiter|Seth Nicholson|1938|42
Carme|moon|Jupiter|Seth Nicholson|1938|47
Ananke|moon|Jupiter|Seth Nicholson|1951|29
Sinope|moon|Jupiter|Seth Nicholson|1914|35
Titan|moon|Saturn|Christiaan Huygens|1655|5,150
Iapetus|moon|Saturn|Giovanni Domenico Cassini|1671|1,469
Rhea|moon|Saturn|Giovanni Domenico Cassini|1672|1,528
Tethys|moon|Saturn|Giovanni Domenico Cassini|1684|1,062
Dione|moon|Saturn|Giovanni Domenico Cassini|1684|1,123
Mimas|moon|Saturn|William Herschel|1789|396
Enceladus|moon|Saturn|William Herschel|1789|504
Hyperion|moon|Saturn|William Cranch Bond|1848|270
Phoebe|moon|Saturn|William Henry Pickering|1899|213
Titania|moon|Uranus|William Herschel|1787|1,577
Oberon|moon|Uranus|William Herschel|1787|1,523
Ariel|moon|Uranus|William Lassell|1851|1,158
Umbriel|moon|Uranus|William Lassell|1851|1,169
Miranda|moon|Uranus|Gerard Kuiper|1948|472
Triton|moon|Neptune|William Lassell|1846|2,707
Nereid|moon|Neptune|Gerard Kuiper|1949|357
Charon|moon|Pluto|James Christy|1978|1,212
Uranus|planet|the Sun|William Herschel|1781|51,118
Neptune|planet|the Sun|Johann Gottfried Galle|1846|49,528
Pluto|dwarf planet|the Sun|Clyde Tombaugh|1930|2,377
Ceres|dwarf planet|the Sun|Giuseppe Piazzi|1801|939
Pallas|asteroid|the Sun|Heinrich Wilhelm Olbers|1802|512
Vesta|asteroid|the Sun|Heinrich Wilhelm Olbers|1807|525
Juno|asteroid|the Sun|Karl Ludwig Harding|1804|247
Mercury (planet)|planet|the Sun|||4,879
Venus|planet|the Sun|||12,104
Mars|planet|the Sun|||6,779
Jupiter|planet|the Sun|||142,984
Saturn|planet|the Sun|||120,536
"""

# symbol|discoverer|year
DISCOVERIES = """
H|Henry Cavendish|1766
Li|Johan August Arfwedson|1817
N|Daniel Rutherford|1772
O|Carl Wilhelm Scheele|1771
F|Henri Moissan|1886
Na|Humphry Davy|1807
Mg|Humphry Davy|1808
K|Humphry Davy|1807
Ca|Humphry Davy|1808
Sr|Humphry Davy|1808
Ba|Humphry Davy|1808
Si|Jöns Jacob Berzelius|1824
Cl|Carl Wilhelm Scheele|1774
Ne|William Ramsay|1898
Ar|William Ramsay|1894
Kr|William Ramsay|1898
Xe|William Ramsay|1898
Sc|Lars Fredrik Nilson|1879
Ti|William Gregor|1791
Cr|Louis Nicolas Vauquelin|1797
Be|Louis Nicolas Vauquelin|1798
Mn|Johan Gottlieb Gahn|1774
Co|Georg Brandt|1735
Ni|Axel Fredrik Cronstedt|1751
Ga|Paul-Émile Lecoq de Boisbaudran|1875
Sm|Paul-Émile Lecoq de Boisbaudran|1879
Dy|Paul-Émile Lecoq de Boisbaudran|1886
Ge|Clemens Winkler|1886
Se|Jöns Jacob Berzelius|1817
Th|Jöns Jacob Berzelius|1829
Br|Antoine Jérôme Balard|1826
Rb|Robert Bunsen|1861
Cs|Robert Bunsen|1860
Y|Johan Gadolin|1794
Zr|Martin Heinrich Klaproth|1789
U|Martin Heinrich Klaproth|1789
Nb|Charles Hatchett|1801
Mo|Carl Wilhelm Scheele|1778
Tc|Emilio Segrè|1937
Ru|Karl Ernst Claus|1844
Rh|William Hyde Wollaston|1804
Pd|William Hyde Wollaston|1802
Cd|Friedrich Stromeyer|1817
In|Ferdinand Reich|1863
I|Bernard Courtois|1811
La|Carl Gustaf Mosander|1839
Tb|Carl Gustaf Mosander|1843
Er|Carl Gustaf Mosander|1843
Pr|Carl Auer von Welsbach|1885
Nd|Carl Auer von Welsbach|1885
Eu|Eugène-Anatole Demarçay|1901
Gd|Jean Charles Galissard de Marignac|1880
Yb|Jean Charles Galissard de Marignac|1878
Ho|Per Teodor Cleve|1879
Tm|Per Teodor Cleve|1879
Lu|Georges Urbain|1907
Hf|George de Hevesy|1923
Ta|Anders Gustaf Ekeberg|1802
W|Fausto Elhuyar|1783
Re|Walter Noddack|1925
Os|Smithson Tennant|1803
Ir|Smithson Tennant|1803
Tl|William Crookes|1861
Po|Marie Curie|1898
Ra|Marie Curie|1898
Fr|Marguerite Perey|1939
Ac|André-Louis Debierne|1899
Pa|Lise Meitner|1917
Np|Edwin McMillan|1940
Pu|Glenn Seaborg|1940
Am|Glenn Seaborg|1944
Cm|Glenn Seaborg|1944
Bk|Glenn Seaborg|1949
Cf|Glenn Seaborg|1950
Fm|Albert Ghiorso|1952
Md|Albert Ghiorso|1955
"""
