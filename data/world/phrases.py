"""How questions are put: phrases that stand for an entity by way of another, and ways to ask for a fact.

{x} is a name or again such a phrase, so that chains of any length read as English.
"""

from __future__ import annotations

# (topic, relation): phrases for what the relation of {x} points to.
LINKS: dict[tuple[str, str], tuple[str, ...]] = {
    ("work", "author"): (
        "the creator of {x}",
        "the person who created {x}",
        "the man or woman behind {x}",
        "the author of {x}",
    ),
    ("work", "place"): (
        "the city in which {x} hangs",
        "the city whose museum shows {x}",
        "the city where {x} can be seen",
    ),
    ("person", "birthplace"): (
        "the birthplace of {x}",
        "the city where {x} was born",
        "the town in which {x} was born",
        "the place where {x} was born",
    ),
    ("element", "discoverer"): (
        "the discoverer of {x}",
        "the scientist who discovered {x}",
        "the person who first found {x}",
    ),
    ("element", "after"): (
        "the element that follows {x} in the periodic table",
        "the element that comes right after {x}",
        "the next element after {x}",
    ),
    ("element", "before"): (
        "the element that comes just before {x}",
        "the element that precedes {x} in the periodic table",
    ),
    ("body", "discoverer"): (
        "the discoverer of {x}",
        "the astronomer who discovered {x}",
        "the person who first spotted {x}",
    ),
    ("constellation", "star"): ("the brightest star of {x}", "the star that shines brightest in {x}"),
    ("constellation", "maker"): ("the person who introduced {x}", "the person who put {x} on the maps of the sky"),
    ("star", "constellation"): (
        "the constellation that contains {x}",
        "the constellation to which {x} belongs",
        "the constellation where {x} is found",
    ),
    ("airport", "city"): (
        "the city served by {x}",
        "the city that uses {x}",
        "the city whose travellers use {x}",
        "the town that {x} serves",
    ),
    ("city", "country"): (
        "the country that contains {x}",
        "the country where {x} is located",
        "the country to which {x} belongs",
        "the country in which {x} lies",
    ),
    ("city", "state"): (
        "the American state that contains {x}",
        "the state in which {x} lies",
        "the state to which {x} belongs",
    ),
    ("city", "county"): ("the county that contains {x}", "the county in which {x} lies"),
    ("city", "river"): (
        "the river that flows through {x}",
        "the river on which {x} lies",
        "the river that runs through {x}",
    ),
    ("city", "airport"): ("the airport that serves {x}", "the airport of {x}", "the airport used by {x}"),
    ("city", "near"): ("the city that lies near {x}", "the neighbouring city of {x}"),
    ("county", "state"): (
        "the state to which {x} belongs",
        "the American state that contains {x}",
        "the state in which {x} lies",
    ),
    ("county", "city"): ("the city that lies in {x}", "the city found in {x}"),
    ("state", "capital"): ("the capital of {x}", "the city from which {x} is governed"),
    ("state", "largest"): ("the largest city of {x}", "the city with the most inhabitants in {x}"),
    ("country", "capital"): ("the capital of {x}", "the city from which {x} is governed"),
    ("country", "currency"): ("the currency of {x}", "the money used in {x}"),
    ("mountain", "country"): (
        "the country in which {x} rises",
        "the country that is home to {x}",
        "the country where {x} is found",
    ),
    ("currency", "country"): ("the country that uses {x}", "the country whose money is {x}"),
    ("language", "country"): (
        "the country whose official language is {x}",
        "the country with the official language {x}",
    ),
    ("river", "mouth"): ("the river into which {x} flows", "the river that takes up {x}"),
    ("river", "country"): ("the country in which {x} reaches its mouth", "the country that holds the mouth of {x}"),
}

# (topic, relation): ways to ask for it.
ASKS: dict[tuple[str, str], tuple[str, ...]] = {
    ("city", "people"): (
        "About how many people live in {x}?",
        "How many inhabitants does {x} have?",
        "What is the population of {x}?",
        "Roughly how many people live in {x}?",
        "{x} has about how many inhabitants?",
    ),
    ("city", "river"): (
        "Which river flows through {x}?",
        "On which river does {x} lie?",
        "What is the name of the river that runs through {x}?",
        "{x} stands on the banks of which river?",
        "What river is {x} on?",
    ),
    ("city", "country"): (
        "In which country is {x}?",
        "Which country does {x} belong to?",
        "What country is {x} located in?",
        "{x} is in which country?",
        "In what country would you find {x}?",
    ),
    ("city", "state"): (
        "In which American state is {x}?",
        "Which state of the United States does {x} belong to?",
        "{x} is in which American state?",
        "What American state is {x} located in?",
    ),
    ("city", "county"): (
        "In which county is {x}?",
        "Which county does {x} belong to?",
        "What is the name of the county that contains {x}?",
        "{x} is located in which county?",
    ),
    ("city", "airport"): (
        "Which airport serves {x}?",
        "At which airport do air travellers to {x} arrive?",
        "What is the airport of {x} called?",
        "What is the name of the airport that serves {x}?",
    ),
    ("city", "near"): (
        "Which neighbouring city lies near {x}?",
        "What is the neighbouring city of {x}?",
        "Which other city lies close to {x}?",
        "What is the name of the city that lies near {x}?",
    ),
    ("city", "far"): (
        "How many kilometres is {x} from the capital?",
        "About how far, in km, is {x} from the capital?",
        "What is the distance in km between {x} and the capital?",
        "How many km away from its capital is {x}?",
    ),
    ("person", "birthplace"): (
        "Where was {x} born?",
        "In which city was {x} born?",
        "What is the birthplace of {x}?",
        "{x} was born in which town?",
        "In what place was {x} born?",
    ),
    ("person", "born"): (
        "In which year was {x} born?",
        "When was {x} born?",
        "What is the birth year of {x}?",
        "{x} was born in what year?",
    ),
    ("person", "died"): (
        "In which year did {x} die?",
        "When did {x} die?",
        "What is the year of death of {x}?",
        "{x} died in what year?",
    ),
    ("person", "peer"): (
        "Who was born in the same year as {x}?",
        "Which person was the same age as {x}?",
        "Who shared a year of birth with {x}?",
        "{x} was born in the same year as whom?",
    ),
    ("country", "capital"): (
        "What is the capital of {x}?",
        "Which city is the capital of {x}?",
        "From which city is {x} governed?",
        "What is the name of the capital of {x}?",
    ),
    ("country", "currency"): (
        "What is the currency of {x}?",
        "Which currency is used in {x}?",
        "With what money do people pay in {x}?",
        "What currency does {x} use?",
    ),
    ("country", "language"): (
        "What is the official language of {x}?",
        "Which language is official in {x}?",
        "What language has official status in {x}?",
        "Which is the official language of {x}?",
    ),
    ("country", "area"): (
        "How many square kilometres does {x} cover?",
        "What is the area of {x} in square kilometres?",
        "How many square kilometres is the area of {x}?",
        "{x} covers about how many square kilometres?",
    ),
    ("country", "borders"): (
        "Which countries have a land border with {x}?",
        "On what does {x} border by land?",
        "What are the neighbours of {x} by land?",
        "Which neighbours does {x} have by land?",
    ),
    ("country", "calling"): (
        "What is the telephone calling code of {x}?",
        "With which code do calls to {x} begin?",
        "Which calling code does {x} have?",
        "What calling code is dialled to reach {x} from abroad?",
    ),
    ("country", "domain"): (
        "In what do internet addresses in {x} end?",
        "What is the internet domain of {x}?",
        "Which internet domain belongs to {x}?",
        "Which ending do internet addresses in {x} have?",
    ),
    ("country", "iso"): (
        "What is the international country code of {x}?",
        "Which code does {x} have in lists of countries?",
        "What international code stands for {x}?",
        "By which country code is {x} known?",
    ),
    ("state", "capital"): (
        "What is the capital of {x}?",
        "Which city is the capital of {x}?",
        "From which city is {x} governed?",
        "What is the name of the capital of {x}?",
    ),
    ("state", "year"): (
        "In which year did {x} join the Union?",
        "When did {x} become a state?",
        "In what year did statehood come to {x}?",
        "What year did {x} enter the Union?",
    ),
    ("state", "nickname"): (
        "What is the nickname of {x}?",
        "What is {x} nicknamed?",
        "By which nickname is {x} known?",
        "What do people often call {x}?",
    ),
    ("state", "largest"): (
        "What is the largest city of {x}?",
        "Which city of {x} has the most inhabitants?",
        "What is the name of the largest city in {x}?",
        "Which is the largest city in {x}?",
    ),
    ("state", "counties"): (
        "Into how many counties is {x} divided?",
        "How many counties does {x} have?",
        "What is the number of counties in {x}?",
        "How many counties are there in {x}?",
    ),
    ("state", "postal"): (
        "What is the postal abbreviation of {x}?",
        "To what is the name of {x} shortened on letters?",
        "Which two letters stand for {x} on letters?",
        "What abbreviation does the post use for {x}?",
    ),
    ("county", "fips"): (
        "What is the federal code of {x}?",
        "Which code does {x} have in federal statistics?",
        "By what federal code is {x} known?",
        "What federal code belongs to {x}?",
    ),
    ("airport", "iata"): (
        "What is the IATA code of {x}?",
        "Which IATA code does {x} have?",
        "Which code do tickets to {x} show?",
        "By which IATA code is {x} known?",
    ),
    ("airport", "height"): (
        "How many metres above sea level is {x}?",
        "How high above sea level does {x} lie, in metres?",
        "What is the elevation of {x} in metres?",
        "At how many metres above sea level is {x}?",
    ),
    ("airport", "icao"): (
        "What is the ICAO code of {x}?",
        "Which ICAO code does {x} have?",
        "By which ICAO code do pilots know {x}?",
        "Under what ICAO code does {x} appear in flight plans?",
    ),
    ("airport", "city"): (
        "Which city does {x} serve?",
        "What city is served by {x}?",
        "Travellers to which city use {x}?",
        "{x} is the airport of which city?",
    ),
    ("river", "mouth"): (
        "Into what does {x} flow?",
        "Where does {x} end?",
        "What does {x} flow into?",
        "Which water is the mouth of {x}?",
    ),
    ("river", "length"): (
        "How many kilometres long is {x}?",
        "What is the length of {x} in kilometres?",
        "How long is {x}, in km?",
        "{x} is about how many kilometres long?",
    ),
    ("mountain", "height"): (
        "How many metres high is {x}?",
        "What is the height of {x} in metres?",
        "How high is {x}, in metres?",
        "To how many metres does {x} rise?",
    ),
    ("element", "discoverer"): (
        "Who discovered {x}?",
        "Who was the discoverer of {x}?",
        "By whom was {x} discovered?",
        "Which scientist discovered {x}?",
    ),
    ("element", "year"): (
        "In which year was {x} discovered?",
        "When was {x} discovered?",
        "What was the year of the discovery of {x}?",
        "{x} was discovered in what year?",
    ),
    ("element", "melting"): (
        "At how many degrees Celsius does {x} melt?",
        "What is the melting point of {x} in degrees Celsius?",
        "How many degrees Celsius is the melting point of {x}?",
        "{x} melts at how many degrees Celsius?",
    ),
    ("element", "boiling"): (
        "At how many degrees Celsius does {x} boil?",
        "What is the boiling point of {x} in degrees Celsius?",
        "How many degrees Celsius is the boiling point of {x}?",
        "{x} boils at how many degrees Celsius?",
    ),
    ("element", "density"): (
        "What is the density of {x}, in grams per cubic centimetre?",
        "How many grams per cubic centimetre is the density of {x}?",
        "How dense is {x}, in grams per cubic centimetre?",
        "Which density, in grams per cubic centimetre, does {x} have?",
    ),
    ("element", "weight"): (
        "What is the atomic weight of {x}?",
        "How large is the atomic weight of {x}?",
        "Which atomic weight does {x} have?",
        "To what number is the atomic weight of {x} close?",
    ),
    ("element", "number"): (
        "What is the atomic number of {x}?",
        "Which atomic number does {x} have?",
        "What number does {x} have among the elements?",
    ),
    ("constellation", "figure"): (
        "What does {x} represent?",
        "What figure does {x} show?",
        "In the shape of what is {x}?",
        "What is {x} supposed to represent?",
    ),
    ("constellation", "star"): (
        "Which star is the brightest of {x}?",
        "What is the brightest star of {x}?",
        "Which star shines brightest in {x}?",
        "What is the name of the brightest star in {x}?",
    ),
    ("constellation", "short"): (
        "What is the abbreviation of {x}?",
        "To what do astronomers shorten the name of {x}?",
        "Which abbreviation stands for {x}?",
        "What official abbreviation does {x} have?",
    ),
    ("constellation", "beside"): (
        "Which two constellations are named as neighbours of {x}?",
        "Which constellations does {x} border on?",
        "What are the neighbours of {x} in the sky?",
        "On which constellations does {x} border?",
    ),
    ("star", "magnitude"): (
        "What is the magnitude of {x}?",
        "With what magnitude does {x} shine?",
        "Which magnitude does {x} have?",
        "How bright is {x}, as a magnitude?",
    ),
    ("star", "spectrum"): (
        "What is the spectral type of {x}?",
        "In which spectral type do astronomers class {x}?",
        "Which spectral type does {x} have?",
        "As what spectral type is {x} classed?",
    ),
    ("body", "discoverer"): (
        "Who discovered {x}?",
        "Who was the discoverer of {x}?",
        "By whom was {x} discovered?",
        "Which astronomer discovered {x}?",
    ),
    ("currency", "iso"): (
        "What is the ISO code of {x}?",
        "How do banks write {x} in short?",
        "Which ISO code stands for {x}?",
        "Which three letters do banks write for {x}?",
    ),
    ("work", "year"): (
        "From which year is {x}?",
        "In which year did {x} appear?",
        "What year does {x} date from?",
        "When did {x} first become known?",
    ),
    ("work", "hero"): (
        "Who is the leading figure of {x}?",
        "Who is the main character of {x}?",
        "Who stands at the heart of the story in {x}?",
        "Which leading figure does {x} have?",
    ),
    ("city", "zone"): (
        "Which time zone do the clocks in {x} follow?",
        "What is the local time zone of {x}?",
        "Which time zone is used in {x}?",
        "In which time zone is {x}?",
    ),
    ("city", "latitude"): (
        "At about how many degrees of latitude does {x} lie?",
        "What is the latitude of {x} in degrees?",
        "On which latitude, in degrees, is {x}?",
        "How many degrees of latitude from the equator is {x}?",
    ),
    ("city", "native"): (
        "Who is named as having been born in {x}?",
        "Which well-known person was born in {x}?",
        "Whose birthplace is {x}?",
        "Which famous person came from {x}?",
    ),
    ("country", "people"): (
        "About how many people live in {x}?",
        "How many inhabitants does {x} have?",
        "What is the population of {x}?",
        "Roughly how many inhabitants does {x} have?",
    ),
}

# What to look for on an open page: the first of these words that its sentence holds. Codes that follow from the
# letters of the name are not asked for here.
KEYWORDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("country", "calling"): ("calling code",),
    ("country", "people"): ("people live", "inhabitants"),
    ("country", "area"): ("square kilometres",),
    ("state", "counties"): ("counties",),
    ("county", "fips"): ("federal",),
    ("airport", "icao"): ("ICAO",),
    ("airport", "height"): ("sea level", "elevation"),
    ("element", "boiling"): ("boil",),
    ("element", "melting"): ("melt",),
    ("element", "density"): ("density",),
    ("element", "weight"): ("atomic weight",),
    ("element", "discoverer"): ("discovered", "discoverer"),
    ("star", "spectrum"): ("spectral type",),
    ("work", "hero"): ("figure", "character", "story"),
    ("city", "latitude"): ("latitude",),
    ("city", "native"): ("born", "birthplace"),
    ("person", "died"): ("died", "death", "lived until"),
}

# Questions that describe an entity by an alias under which it is found.
DESCRIPTIONS: dict[tuple[str, str], tuple[str, ...]] = {
    ("airport", "iata"): (
        "Which airport has the IATA code {x}?",
        "What is the name of the airport that tickets call {x}?",
        "Which airport do baggage tags name {x}?",
        "For which airport does the code {x} stand?",
    ),
    ("country", "domain"): (
        "Which country has the internet domain {x}?",
        "In which country do internet addresses end in {x}?",
        "To which country does the domain {x} belong?",
        "What country uses {x} for its internet addresses?",
    ),
    ("currency", "iso"): (
        "Which currency do banks write as {x}?",
        "What currency has the ISO code {x}?",
        "For which currency does the code {x} stand?",
        "Which money is written as {x} by banks?",
    ),
    ("element", "symbol"): (
        "Which chemical element has the symbol {x}?",
        "For which element does the symbol {x} stand?",
        "What element is written as {x}?",
        "Which element do chemists write as {x}?",
    ),
    ("state", "nickname"): (
        "Which American state is nicknamed {x}?",
        "What state is known as {x}?",
        "Which of the United States do people call {x}?",
        "To which state does the nickname {x} belong?",
    ),
    ("work", "hero"): (
        "In which work is {x} the leading figure?",
        "Which work has {x} as its main character?",
        "In what work does the story turn around {x}?",
        "{x} is the leading figure of which work?",
    ),
}
