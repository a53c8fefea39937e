"""The counties of American towns, by hand: a line is county|state|town that lies in it."""

COUNTIES = """
Montgomery|AL|Montgomery
Madison|AL|Huntsville
Mobile|AL|Mobile
Maricopa|AZ|Phoenix
Pima|AZ|Tucson
Yuma|AZ|Yuma
Pulaski|AR|Little Rock
Sebastian|AR|Fort Smith
Washington|AR|Fayetteville
Los Angeles|CA|Los Angeles
San Diego|CA|San Diego
Santa Clara|CA|San Jose
Sacramento|CA|Sacramento
Monterey|CA|Salinas
Solano|CA|Vallejo
El Paso|CO|Colorado Springs
Pueblo|CO|Pueblo
Arapahoe|CO|Aurora
New Castle|DE|Wilmington
Leon|FL|Tallahassee
Duval|FL|Jacksonville
Miami-Dade|FL|Miami
Hillsborough|FL|Tampa
Fulton|GA|Atlanta
Dougherty|GA|Albany
Ada|ID|Boise
Canyon|ID|Nampa
Sangamon|IL|Springfield
Cook|IL|Chicago
Kane|IL|Aurora
Lake|IL|Waukegan
LaSalle|IL|Streator
Marion|IN|Indianapolis
Allen|IN|Fort Wayne
Vanderburgh|IN|Evansville
Polk|IA|Des Moines
Linn|IA|Cedar Rapids
Scott|IA|Davenport
Shawnee|KS|Topeka
Sedgwick|KS|Wichita
Johnson|KS|Overland Park
Franklin|KY|Frankfort
Jefferson|KY|Louisville
Fayette|KY|Lexington
Warren|KY|Bowling Green
Kennebec|ME|Augusta
Cumberland|ME|Portland
Androscoggin|ME|Lewiston
Anne Arundel|MD|Annapolis
Suffolk|MA|Boston
Worcester|MA|Worcester
Hampden|MA|Springfield
Essex|MA|Salem
Middlesex|MA|Lowell
Hampshire|MA|Amherst
Ingham|MI|Lansing
Wayne|MI|Detroit
Kent|MI|Grand Rapids
Ramsey|MN|Saint Paul
Hennepin|MN|Minneapolis
Olmsted|MN|Rochester
Hinds|MS|Jackson
Harrison|MS|Gulfport
Lowndes|MS|Columbus
Cole|MO|Jefferson City
Greene|MO|Springfield
Boone|MO|Columbia
Lewis and Clark|MT|Helena
Yellowstone|MT|Billings
Missoula|MT|Missoula
Lancaster|NE|Lincoln
Douglas|NE|Omaha
Clark|NV|Las Vegas
Washoe|NV|Reno
Merrimack|NH|Concord
Hillsborough|NH|Manchester
Mercer|NJ|Trenton
Essex|NJ|Newark
Hudson|NJ|Jersey City
Passaic|NJ|Paterson
Santa Fe|NM|Santa Fe
Bernalillo|NM|Albuquerque
Doña Ana|NM|Las Cruces
Albany|NY|Albany
Erie|NY|Buffalo
Monroe|NY|Rochester
Rockland|NY|Nyack
Wake|NC|Raleigh
Mecklenburg|NC|Charlotte
Guilford|NC|Greensboro
Burleigh|ND|Bismarck
Cass|ND|Fargo
Grand Forks|ND|Grand Forks
Cuyahoga|OH|Cleveland
Hamilton|OH|Cincinnati
Clark|OH|Springfield
Lorain|OH|Lorain
Jefferson|OH|Steubenville
Tulsa|OK|Tulsa
Marion|OR|Salem
Lane|OR|Eugene
Multnomah|OR|Portland
Dauphin|PA|Harrisburg
Allegheny|PA|Pittsburgh
Lehigh|PA|Allentown
Providence|RI|Providence
Kent|RI|Warwick
Charleston|SC|Charleston
Richland|SC|Columbia
Hughes|SD|Pierre
Minnehaha|SD|Sioux Falls
Pennington|SD|Rapid City
Davidson|TN|Nashville
Shelby|TN|Memphis
Knox|TN|Knoxville
Hamilton|TN|Chattanooga
Travis|TX|Austin
Harris|TX|Houston
Bexar|TX|San Antonio
El Paso|TX|El Paso
Webb|TX|Laredo
Salt Lake|UT|Salt Lake City
Utah|UT|Provo
Washington|VT|Montpelier
Chittenden|VT|Burlington
Thurston|WA|Olympia
King|WA|Seattle
Spokane|WA|Spokane
Pierce|WA|Tacoma
Kanawha|WV|Charleston
Cabell|WV|Huntington
Dane|WI|Madison
Milwaukee|WI|Milwaukee
Brown|WI|Green Bay
Laramie|WY|Cheyenne
Natrona|WY|Casper
Park|WY|Cody
Albany|WY|Laramie
"""
