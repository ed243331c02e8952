/** What the health check and jobs say elsewhere too (in the API, by commands), in German. */
export const saidOfHealthInGerman: Readonly<Record<string, string>> = {
  // Members.
  'No member takes calls: every call is answered 503.':
    'Kein Member nimmt Aufrufe an: Jeder Aufruf wird mit 503 beantwortet.',
  'Start the members, or correct CONSOLE_MEMBERS.':
    'Starten Sie die Member, oder korrigieren Sie CONSOLE_MEMBERS.',
  'It is drained.': 'Es ist entlastet.',
  'Give it calls again.': 'Geben Sie ihm wieder Aufrufe.',
  'Start it with REST enabled, or see why it cannot be reached from here.':
    'Starten Sie es mit eingeschaltetem REST, oder sehen Sie nach, warum es von hier nicht zu erreichen ist.',
  'It gets no calls: {reason}.': 'Es bekommt keine Aufrufe: {reason}.',
  'Read its log.': 'Lesen Sie sein Log.',
  'It takes calls.': 'Es nimmt Aufrufe an.',
  'It answers that it is not ready ({status}).': 'Es antwortet, dass es nicht bereit ist ({status}).',
  // The store.
  'It cannot be written ({state}). What is stored is not damaged.':
    'Er kann nicht geschrieben werden ({state}). Was gespeichert ist, ist unbeschädigt.',
  'Mount its file system writable again.': 'Hängen Sie sein Dateisystem wieder beschreibbar ein.',
  'Make room there, or inodes: df -h and df -i.': 'Schaffen Sie dort Platz oder Inodes: df -h und df -i.',
  'Raise the limit on the size of files of the console (ulimit -f).':
    'Heben Sie die Grenze für die Größe von Dateien der Konsole an (ulimit -f).',
  "Give the directory and its files to the console's user.":
    'Geben Sie das Verzeichnis und seine Dateien dem Benutzer der Konsole.',
  'The system log says more.': 'Das Systemlog sagt mehr.',
  '{size} are left.': '{size} sind frei.',
  'Make room for the data directory.': 'Schaffen Sie Platz für das Datenverzeichnis.',
  // The database.
  'What other consoles have changed is not known here for {n} s.':
    'Was andere Konsolen geändert haben, ist hier seit {n} s nicht bekannt.',
  'See to the database and to the network on the way to it.':
    'Sehen Sie nach der Datenbank und dem Netz auf dem Weg zu ihr.',
  'The clock of the database is {n} s ahead of that of this console.':
    'Die Uhr der Datenbank geht gegenüber der dieser Konsole {n} s vor.',
  'The clock of the database is {n} s behind that of this console.':
    'Die Uhr der Datenbank geht gegenüber der dieser Konsole {n} s nach.',
  'Set both by NTP.': 'Stellen Sie beide mit NTP.',
  'All {n} connections to the database are in use, and {waiting} requests wait for one.':
    'Alle {n} Verbindungen zur Datenbank sind in Gebrauch, und {waiting} Anfragen warten auf eine.',
  'See what the database is busy with; start further consoles if it is idle.':
    'Sehen Sie nach, womit die Datenbank beschäftigt ist; ist sie es nicht, starten Sie weitere Konsolen.',
  'The database does not tell of changes at once (LISTEN): they are looked for twice a second.':
    'Die Datenbank meldet Änderungen nicht sofort (LISTEN): Sie werden zweimal in der Sekunde gesucht.',
  'See the log of this console; behind PgBouncer set CONSOLE_DATABASE_LISTEN_URL to the address of the database itself.':
    'Sehen Sie ins Log dieser Konsole; hinter PgBouncer setzen Sie CONSOLE_DATABASE_LISTEN_URL auf die Adresse der Datenbank selbst.',
  '{n} of {most} connections are in use.': '{n} von {most} Verbindungen sind in Gebrauch.',
  // Calls that are denied over and over.
  '{n} calls were denied since {at}: it lacks {permission} for the map {name}.':
    '{n} Aufrufe wurden seit {at} abgelehnt: Es fehlt {permission} für die Map {name}.',
  '{n} calls were denied since {at}: it lacks {permission} for the queue {name}.':
    '{n} Aufrufe wurden seit {at} abgelehnt: Es fehlt {permission} für die Queue {name}.',
  '{n} calls were denied since {at}: it lacks {permission}.':
    '{n} Aufrufe wurden seit {at} abgelehnt: Es fehlt {permission}.',
  'The decision says what opens the call; denials that are muted are not named here.':
    'Die Entscheidung sagt, was den Aufruf öffnet; stummgeschaltete Ablehnungen stehen nicht hier.',
  // Keys and licence.
  '{n} sign.': '{n} signieren.',
  'No key signs: no token can be given.': 'Kein Schlüssel signiert: Es kann kein Token ausgestellt werden.',
  'Licence {id} has ended.': 'Die Lizenz {id} ist abgelaufen.',
  'Licence {id} ends in {n} days.': 'Die Lizenz {id} endet in {n} Tagen.',
  'Licence {id} is valid.': 'Die Lizenz {id} ist gültig.',
  'Replace the signing keys at once.': 'Ersetzen Sie die Signaturschlüssel sofort.',
  'Set the next one.': 'Setzen Sie die nächste.',
  'The application has not acknowledged licence {id}.': 'Die Anwendung hat die Lizenz {id} nicht bestätigt.',
  'See to the internal address of the application.': 'Prüfen Sie die interne Adresse der Anwendung.',
  // Identity providers.
  'Its signing certificate ends in {n} days. Once the provider signs with another one, nobody can sign in until that one is pinned.':
    'Das Zertifikat, mit dem er signiert, endet in {n} Tagen. Mit dem nächsten kann sich niemand anmelden, bis es hier hinterlegt ist.',
  'Its signing certificate ends in {n} day. Once the provider signs with another one, nobody can sign in until that one is pinned.':
    'Das Zertifikat, mit dem er signiert, endet in {n} Tag. Mit dem nächsten kann sich niemand anmelden, bis es hier hinterlegt ist.',
  'Its signing certificate has ended. It counts as long as it is pinned; nobody can sign in once the provider signs with another one.':
    'Das Zertifikat, mit dem er signiert, ist abgelaufen. Es zählt, solange es hier hinterlegt ist; mit einem anderen kann sich niemand anmelden.',
  'Have its new metadata read, from their address or from a file.':
    'Lassen Sie seine neuen Metadaten lesen, von ihrer Adresse oder aus einer Datei.',
  // Jobs.
  'A job ({kind}) failed at {at}: {why}.': 'Ein Job ({kind}) ist {at} fehlgeschlagen: {why}.',
  'A job ({kind}) failed at {at}.': 'Ein Job ({kind}) ist {at} fehlgeschlagen.',
  'A job ({kind}) was interrupted at {at}: {why}.': 'Ein Job ({kind}) wurde {at} unterbrochen: {why}.',
  'A job ({kind}) was interrupted at {at}.': 'Ein Job ({kind}) wurde {at} unterbrochen.',
  'Start it again.': 'Starten Sie ihn noch einmal.',
  'Something went wrong here; the log of the console says what.':
    'Hier ist etwas schiefgegangen; das Log der Konsole sagt, was.',
  'Something went wrong here; the log of the console says what':
    'Hier ist etwas schiefgegangen; das Log der Konsole sagt, was',
  'The console stopped while it was {step}; what it had done until then does not go on. Ask for it again.':
    'Die Konsole hielt an, während er lief ({step}); was er bis dahin getan hatte, geht nicht weiter. Fordern Sie ihn noch einmal an.',
  'This job is over.': 'Dieser Job ist vorbei.',
  'There is no job of this id, or not any more.': 'Einen Job mit dieser ID gibt es nicht oder nicht mehr.',
  'storing, up to line {line}': 'speichert, bis Zeile {line}',
  // The configuration that files describe.
  'The files of CONSOLE_CONFIG_DIR are in force.': 'Die Dateien von CONSOLE_CONFIG_DIR sind in Kraft.',
  'Files of CONSOLE_CONFIG_DIR are refused, and what was in force stays.':
    'Dateien von CONSOLE_CONFIG_DIR werden abgelehnt, und was in Kraft war, bleibt.',
  'Correct the files.': 'Berichtigen Sie die Dateien.',
  'Files of CONSOLE_CONFIG_DIR differ: those of {leader} are in force, those of {others} are not.':
    'Dateien von CONSOLE_CONFIG_DIR unterscheiden sich: Die von {leader} sind in Kraft, die von {others} sind es nicht.',
  'Give all consoles the same files.': 'Geben Sie allen Konsolen dieselben Dateien.',
  // Settings.
  'Correct {name} where it was set.': 'Berichtigen Sie {name} dort, wo es gesetzt wurde.',
  'Set CONSOLE_URL to an https address; docs/operations.md says how to serve it.':
    'Setzen Sie CONSOLE_URL auf eine https-Adresse; docs/operations.md sagt, wie sie bedient wird.',
  'Renew the certificate in CONSOLE_TLS_CERT, and restart the console.':
    'Erneuern Sie das Zertifikat in CONSOLE_TLS_CERT, und starten Sie die Konsole neu.',
  'Unset CONSOLE_HOST, or set an https CONSOLE_URL with CONSOLE_TLS_CERT and CONSOLE_TLS_KEY.':
    'Entfernen Sie CONSOLE_HOST, oder setzen Sie eine https-CONSOLE_URL mit CONSOLE_TLS_CERT und CONSOLE_TLS_KEY.',
  'Set CONSOLE_APPLICATION_CLIENT_SECRET="$(openssl rand -hex 24)", for its callers too.':
    'Setzen Sie CONSOLE_APPLICATION_CLIENT_SECRET="$(openssl rand -hex 24)", auch bei denen, die damit aufrufen.',
  'Set CONSOLE_ENCRYPTION_KEY="$(openssl rand -base64 32)", keep it elsewhere, restart, then replace the signing keys at once.':
    'Setzen Sie CONSOLE_ENCRYPTION_KEY="$(openssl rand -base64 32)", bewahren Sie ihn anderswo auf, starten Sie neu, und ersetzen Sie danach die Signaturschlüssel sofort.',
  'CONSOLE_URL is http: and not loopback: passwords and tokens travel in clear text.':
    'CONSOLE_URL ist http: und nicht Loopback: Passwörter und Token gehen im Klartext übers Netz.',
  'CONSOLE_HOST is not loopback and CONSOLE_URL is http: anyone on the network can listen in.':
    'CONSOLE_HOST ist nicht Loopback, und CONSOLE_URL ist http: Jeder im Netz kann mitlesen.',
  'CONSOLE_HOST is not loopback and CONSOLE_TLS_CERT is unset: anyone on the network can read tokens.':
    'CONSOLE_HOST ist nicht Loopback, und CONSOLE_TLS_CERT ist nicht gesetzt: Jeder im Netz kann Token lesen.',
  'CONSOLE_URL is https, and what listens here speaks plain HTTP: CONSOLE_TLS_CERT is unset, and CONSOLE_TRUSTED_PROXIES names no proxy that could end TLS.':
    'CONSOLE_URL ist https, aber hier wird HTTP ohne TLS gesprochen: CONSOLE_TLS_CERT ist nicht gesetzt, und CONSOLE_TRUSTED_PROXIES nennt keinen Proxy, der TLS beenden könnte.',
  'SVC_MC_APP_INTERNALADDRESS is http: and not loopback: the application gets neither logout notices nor licence updates.':
    'SVC_MC_APP_INTERNALADDRESS ist http: und nicht Loopback: Die Anwendung bekommt weder Abmeldungen noch Lizenzen mitgeteilt.',
  'CONSOLE_APPLICATION_CLIENT_SECRET is shorter than {n} characters: it can be guessed.':
    'CONSOLE_APPLICATION_CLIENT_SECRET ist kürzer als {n} Zeichen: Es lässt sich erraten.',
  'CONSOLE_ENCRYPTION_KEY is unset: signing keys and secrets of identity providers lie unencrypted in the store.':
    'CONSOLE_ENCRYPTION_KEY ist nicht gesetzt: Signaturschlüssel und Secrets von Identitätsanbietern liegen unverschlüsselt im Speicher.',
  'CONSOLE_MEMBERS is unset beside CONSOLE_DATABASE_URL: each console has a member of its own, and other maps and queues.':
    'CONSOLE_MEMBERS ist neben CONSOLE_DATABASE_URL nicht gesetzt: Jede Konsole hat ein eigenes Member und andere Maps und Queues.',
  'Name the members of the cluster in CONSOLE_MEMBERS, the same at each console.':
    'Nennen Sie die Member des Clusters in CONSOLE_MEMBERS, bei jeder Konsole dieselben.',
  'CONSOLE_TLS_CERT has expired at {at}: browsers, applications and callers refuse it.':
    'CONSOLE_TLS_CERT ist seit {at} abgelaufen: Browser, Anwendungen und Aufrufer lehnen es ab.',
  'CONSOLE_TLS_CERT is valid only from {at} on, by the clock of this machine.':
    'CONSOLE_TLS_CERT gilt erst ab {at}, nach der Uhr dieses Rechners.',
};
