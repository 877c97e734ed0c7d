# Tries in many ways to write what is not its own, and says of each what came of it: "open NAME" or "refused NAME: WHY".
# Then tries what it must be able to do: "works NAME" or "broken NAME: WHY". OWN, TEMP, CACHE and STATE are its own folders,
# KEPT is the folder around everything that is not.

refused() {
    if said=$(sh -c "$2" 2>&1); then echo "open $1"; else echo "refused $1: $(echo "$said" | tail -n 1)"; fi
}

works() {
    if said=$(sh -c "$2" 2>&1); then echo "works $1"; else echo "broken $1: $(echo "$said" | tail -n 1)"; fi
}

export OWN TEMP CACHE STATE KEPT
cd "$OWN" || exit 1
echo mine > mine

for file in repository/.git/config repository/.git/hooks/pre-commit repository/.autopilot/journal/run.jsonl \
    repository/.autopilot/inbox/1.json repository/README proof/lib/1 home/.bashrc home/.new slots/slot-2/README \
    slots/slot-1.index; do
    export FILE="$KEPT/$file"
    refused "write $file" 'echo x > "$FILE"'
    refused "append $file" 'echo x >> "$FILE"'
done
for file in repository/.git/config home/.bashrc slots/slot-2/README; do
    export FILE="$KEPT/$file"
    refused "empty $file" 'truncate -s 0 "$FILE"'
    refused "remove $file" 'rm "$FILE"'
    refused "replace $file" 'cp mine new && mv new "$FILE"'
    refused "take $file" 'mv "$FILE" taken'
    refused "write through a link to $file" 'ln -sfn "$FILE" link && echo x > link'
    refused "write through a hard link to $file" 'ln -f "$FILE" hard && echo x > hard'
    refused "give $file a second name" 'ln "$FILE" "$FILE.2"'
    refused "put a hard link beside $file" 'ln mine "$FILE.3"'
    refused "move mine beside $file" 'cp mine gone && mv gone "$FILE.4"'
    refused "write $file by its descriptor" 'exec 3< "$FILE" && echo x > /proc/self/fd/3'
    refused "write $file by the root of a process" 'echo x > "/proc/self/root$FILE"'
    refused "write $file as a daemon" \
        'rm -f did; setsid sh -c "echo x > \"\$FILE\"; echo \$? > did.new; mv did.new did" 2> why &
         while [ ! -s did ]; do :; done; cat why >&2; exit "$(cat did)"'
    refused "mount over $file" 'unshare --user --map-root-user --mount sh -c "mount --bind mine \"\$FILE\" && echo x > \"\$FILE\""'
done
refused "make a folder" 'mkdir "$KEPT/home/folder"'
refused "remove a folder" 'rmdir "$KEPT/home/empty"'
refused "make a link" 'ln -s / "$KEPT/home/link"'
refused "make a pipe" 'mkfifo "$KEPT/home/pipe"'
refused "leave by the parent" 'echo x > ../beside'
refused "leave by a link to a folder" 'ln -sfn "$KEPT/home" out && echo x > out/file'
refused "move a folder out" 'mkdir -p moved && mv moved "$KEPT/home/moved"'
refused "take the folder itself away" 'mv "$OWN" "$OWN.away"'
refused "make a device" 'mknod device c 1 3 && echo x > device'
refused "write the kernel's settings" 'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern'

works "write mine" 'echo x > mine && mkdir -p a/b c && echo x > a/b/file'
works "move among mine" 'mv a/b/file c/file && mv c/file a/file'
works "link among mine" 'ln -f a/file c/hard && ln -sfn a/file soft && echo x > soft'
works "temporary files" 'file=$(mktemp) && echo x > "$file" && case "$file" in "$TEMP"/*) ;; *) echo "$file" >&2; exit 1 ;; esac'
works "caches" 'mkdir -p "$CACHE/tool" && echo x > "$CACHE/tool/file"'
works "its own state" 'echo x > "$STATE/session"'
works "nothing" 'echo x > /dev/null && echo x 2> /dev/null'
works "its streams" 'echo x > /dev/stdout && echo x > /dev/stderr'
works "reading" 'cat "$KEPT/home/.bashrc" "$KEPT/repository/.git/config"'
