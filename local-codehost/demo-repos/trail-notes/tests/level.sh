expect easy sh scripts/level.sh 100
expect moderate sh scripts/level.sh 420
expect hard sh scripts/level.sh 900
