#!/bin/sh
# The price of a berth for a night: so much a metre.
EURO_PER_METRE=2
echo $(($1 * EURO_PER_METRE))
