# Every command is explained.
. acceptance/setup.sh
for command in add list find tag tagged export; do
    shows "bookmarks $command" help
done
