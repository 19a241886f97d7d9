expect "Harbour walk
Mill stream
Old railway
Ridge path" sh scripts/list-trails.sh trails
