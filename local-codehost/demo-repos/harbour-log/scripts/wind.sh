#!/bin/sh
# A word for a wind in knots.
if [ "$1" -gt 27 ]; then echo strong; elif [ "$1" -gt 11 ]; then echo fresh; else echo light; fi
