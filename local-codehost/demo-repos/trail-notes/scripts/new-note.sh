#!/bin/sh
# Begins a note: new-note.sh FOLDER "Title"
folder=$1
title=$2
name=$(sh "$(dirname "$0")/slug.sh" "$title")
printf '# %s\n' "$title" > "$folder/$name.md"
echo "$folder/$name.md"
