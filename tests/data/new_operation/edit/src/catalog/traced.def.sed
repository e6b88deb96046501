/^TRACED_COLLECTIVE(Scan,/,/)))$/d
