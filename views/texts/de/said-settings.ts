/** What settings mean, in German: commands and documents have it in English. */
export const saidOfSettingsInGerman: Readonly<Record<string, string>> = {
  // Where the console is, and what it starts with.
  'Public address, also the issuer.': 'Öffentliche Adresse, zugleich der Issuer.',
  'Listening address; unset = loopback, both families.':
    'Adresse, an der gelauscht wird; nicht gesetzt: Loopback, IPv4 und IPv6.',
  'Listening port; 0 = any free one.': 'Port, an dem gelauscht wird; 0: irgendein freier.',
  'A second port that answers /live, /ready and /metrics alone, at the same address; unset = none.':
    'Ein zweiter Port an derselben Adresse, der nur /live, /ready und /metrics beantwortet; nicht gesetzt: keiner.',
  'Directory of the embedded store and of console.yaml.':
    'Verzeichnis des eingebauten Speichers und von console.yaml.',
  'Directory of files of configuration, applied at the start and when they change; unset = none.':
    'Verzeichnis von Konfigurationsdateien, die beim Start und bei Änderungen angewendet werden; nicht gesetzt: keines.',
  'postgres://…: users, clients, sessions, tokens and the audit are kept there instead of in CONSOLE_DATA_DIR, where entries of the audit wait while it is away; several consoles may share one. Unset = embedded store.':
    'postgres://…: Benutzer, Clients, Sitzungen, Token und das Audit-Protokoll liegen dort statt in CONSOLE_DATA_DIR, wo Audit-Einträge warten, solange sie nicht erreichbar ist; mehrere Konsolen können sich eine teilen. Nicht gesetzt: eingebauter Speicher.',
  'First administrator, created when there is no user yet; unset = the start prints a one-time set-up link.':
    'Erster Administrator, der angelegt wird, wenn es noch keinen Benutzer gibt; nicht gesetzt: Der Start gibt einen einmaligen Einrichtungslink aus.',
  'Password of that administrator.': 'Passwort dieses Administrators.',
  'PEM file of the certificate chain: serve HTTPS.':
    'PEM-Datei der Zertifikatskette: Damit wird HTTPS gesprochen.',
  'PEM file of its private key.': 'PEM-Datei des privaten Schlüssels dazu.',
  "PEM file of the authority of its certificate; unset = the system's.":
    'PEM-Datei der Zertifizierungsstelle seines Zertifikats; nicht gesetzt: die des Systems.',
  'Permits an http: issuer that is not loopback.': 'Erlaubt einen Issuer mit http:, der nicht Loopback ist.',
  'Turns every start-up warning into an error.': 'Macht aus jeder Warnung beim Start einen Fehler.',
  'Comma-separated addresses or subnets whose X-Forwarded-For counts.':
    'Adressen oder Netze, durch Kommas getrennt, deren X-Forwarded-For gilt.',
  'Comma-separated host names, addresses or subnets at which the console may call private and loopback addresses, for logout notices and the like.':
    'Hostnamen, Adressen oder Netze, durch Kommas getrennt, unter denen die Konsole private und Loopback-Adressen aufrufen darf, zum Beispiel um Abmeldungen mitzuteilen.',
  'Processes that answer, 1 to 64, of the console or of npm run proxy; from 2 on one more owns the store, or follows the console, and answers nobody.':
    'Prozesse, die antworten, 1 bis 64, der Konsole oder von npm run proxy; ab 2 besitzt ein weiterer den Speicher oder folgt der Konsole und antwortet niemandem.',
  'From SIGTERM on it is not ready and answers all the same, for so long, before it ends: time for a load balancer to find out; up to 60 seconds.':
    'So lange meldet die Konsole ab SIGTERM, dass sie nicht bereit ist, und antwortet trotzdem, bevor sie endet: Zeit, in der ein Load Balancer es bemerkt; bis zu 60 Sekunden.',
  'Minutes for which the last keys of a map that were called through the console are listed on its page, in memory alone; 0: none is kept.':
    'Minuten, für die die Seite einer Map die Schlüssel nennt, die durch die Konsole zuletzt aufgerufen wurden, nur im Hauptspeicher; 0: Keiner wird aufgehoben.',
  'postgres://…: where the database itself is, when CONSOLE_DATABASE_URL leads to it through PgBouncer: it is listened to there for changes of others (LISTEN). Unset = at CONSOLE_DATABASE_URL.':
    'postgres://…: wo die Datenbank selbst ist, wenn CONSOLE_DATABASE_URL über PgBouncer zu ihr führt; dort erfährt die Konsole von Änderungen anderer (LISTEN). Nicht gesetzt: bei CONSOLE_DATABASE_URL.',
  // Members.
  'Comma-separated member base addresses; unset = start and use the embedded member.':
    'Basisadressen der Member, durch Kommas getrennt; nicht gesetzt: Das eingebaute Member wird gestartet und genutzt.',
  'First path segment at the members (svc or hazelcast); unset = detected.':
    'Erster Abschnitt der Pfade an den Membern (svc oder hazelcast); nicht gesetzt: wird erkannt.',
  'Use the members too that those of CONSOLE_MEMBERS name in GET /svc/rest/cluster.':
    'Nutzt auch die Member, die jene von CONSOLE_MEMBERS in GET /svc/rest/cluster nennen.',
  'What the proxy puts into empty cluster name fields of positional bodies.':
    'Was der Proxy in leere Felder für den Clusternamen in Bodys nach Position setzt.',
  'What the proxy puts into empty password fields of positional bodies.':
    'Was der Proxy in leere Passwortfelder in Bodys nach Position setzt.',
  'JSON list of {"members": […], "username": "…", "password": "…"}: members that take these instead.':
    'JSON-Liste aus {"members": […], "username": "…", "password": "…"}: Member, die stattdessen diese Zugangsdaten annehmen.',
  "The member's address.": 'Die Adresse des Members.',
  "The member's port.": 'Der Port des Members.',
  "The member's configuration file, YAML or XML; unset = built in.":
    'Die Konfigurationsdatei des Members, YAML oder XML; nicht gesetzt: die eingebaute.',
  // Tokens, keys and sign-ins.
  'Audience (aud) of access tokens for the members; those for the admin API have <CONSOLE_URL>/api.':
    'Audience (aud) der Access-Token für die Member; die für die Admin-API haben <CONSOLE_URL>/api.',
  'Life of an access token, 30 to 3600 seconds.': 'Lebensdauer eines Access-Tokens, 30 bis 3600 Sekunden.',
  '32 bytes, base64 or hexadecimal: encrypts signing keys and secrets of identity providers in the store.':
    '32 Bytes, Base64 oder hexadezimal: verschlüsselt Signaturschlüssel und Secrets von Identitätsanbietern im Speicher.',
  'Opens what CONSOLE_ENCRYPTION_KEY does not, and encrypts nothing: the key before, or the next one, while one replaces the other.':
    'Öffnet, was CONSOLE_ENCRYPTION_KEY nicht öffnet, und verschlüsselt nichts: der Schlüssel davor oder der nächste, solange einer den anderen ablöst.',
  'Age at which a signing key is replaced.': 'Alter, in dem ein Signaturschlüssel ersetzt wird.',
  'A sign-in ends after this long without use, 60 to 1800 seconds.':
    'Eine Anmeldung endet nach so langer Zeit ohne Nutzung, 60 bis 1800 Sekunden.',
  'A sign-in ends after this long in any case, 300 to 43200 seconds.':
    'Eine Anmeldung endet nach so langer Zeit in jedem Fall, 300 bis 43200 Sekunden.',
  'Shortest password, 12 to 128 characters.': 'Kürzestes Passwort, 12 bis 128 Zeichen.',
  'How long somebody has an eligible role at most, 1 to 60 minutes.':
    'Wie lange jemand eine Rolle auf Zeit höchstens hat, 1 bis 60 Minuten.',
  'Changes that a second administrator has to agree with: ids of operations, or objects for all their changes, such as roles,updateClient.':
    'Änderungen, denen ein zweiter Administrator zustimmen muss: IDs von Operationen oder Objekte für alle ihre Änderungen, zum Beispiel roles,updateClient.',
  // The application.
  'Creates client application-client; unset = no client-credentials grant for it. Fewer than 32 characters is a warning, an error with CONSOLE_STRICT.':
    'Legt den Client application-client an; nicht gesetzt: kein Client-Credentials-Grant für ihn. Weniger als 32 Zeichen: eine Warnung, mit CONSOLE_STRICT ein Fehler.',
  'Secret of that client.': 'Secret dieses Clients.',
  "Public addresses of the application's nodes: redirect, logout and CORS origins follow from them; none: there is no such application.":
    'Öffentliche Adressen der Knoten der Anwendung: Daraus ergeben sich die Adressen für Weiterleitung, Abmeldung und CORS; none: Es gibt keine solche Anwendung.',
  'Where the console sends licence updates.': 'Wohin die Konsole Lizenzen sendet.',
  "The dashboard's issuer; must resolve from the browser.":
    'Der Issuer des Dashboards; muss vom Browser aus erreichbar sein.',
  "The dashboard's key set; must resolve from the dashboard's host.":
    'Das Key Set des Dashboards; muss vom Rechner des Dashboards aus erreichbar sein.',
  'Whether the dashboard insists on HTTPS.': 'Ob das Dashboard auf HTTPS besteht.',
  // Limits.
  'Calls a second that one caller, a machine or a person, may make to maps, queues and health; 0 for no limit.':
    'Aufrufe je Sekunde, die ein Aufrufer, Maschine oder Person, an Maps, Queues und Gesundheit machen darf; 0: keine Grenze.',
  'Calls a second that one caller, a machine or a person, may make to all other groups; 0 for no limit.':
    'Aufrufe je Sekunde, die ein Aufrufer, Maschine oder Person, an alle anderen Gruppen machen darf; 0: keine Grenze.',
  'Calls a second of the admin API that change nothing, of one caller, a machine or a person; 0 for no limit.':
    'Aufrufe der Admin-API je Sekunde, die nichts ändern, von einem Aufrufer, Maschine oder Person; 0: keine Grenze.',
  'Changes a second by the admin API, of one caller; 0 for no limit.':
    'Änderungen je Sekunde durch die Admin-API, von einem Aufrufer; 0: keine Grenze.',
  'Queue polls of one caller that may wait at the same time; 0 for no limit.':
    'Entnahmen, die für einen Aufrufer gleichzeitig warten dürfen; 0: keine Grenze.',
  'Queue polls that one member of CONSOLE_MEMBERS holds at the same time, each with one of its 16 workers; 0 for no limit.':
    'Entnahmen, die ein Member von CONSOLE_MEMBERS gleichzeitig hält, jede mit einem seiner 16 Worker; 0: keine Grenze.',
  'Open connections; beyond them only /live and /ready are answered. Never more than the open files of the process allow.':
    'Offene Verbindungen; darüber hinaus werden nur /live und /ready beantwortet. Nie mehr, als die offenen Dateien des Prozesses erlauben.',
  'Of these, connections of one address; those of CONSOLE_TRUSTED_PROXIES are not counted.':
    'Davon Verbindungen einer Adresse; die von CONSOLE_TRUSTED_PROXIES zählen nicht.',
  'Requests to pages and endpoints of the console under way at the same time; further ones wait up to 10 seconds.':
    'Anfragen an Seiten und Endpunkte der Konsole, die gleichzeitig laufen; weitere warten bis zu 10 Sekunden.',
  'Of these, requests of one address: the caller behind a trusted proxy, not the proxy.':
    'Davon Anfragen einer Adresse: des Aufrufers hinter einem vertrauten Proxy, nicht des Proxys.',
  'Largest request body that the proxy forwards, in bytes.':
    'Größter Body einer Anfrage, den der Proxy weiterleitet, in Bytes.',
  'Longest time in which the head of a request has to arrive, 1 to 300 seconds.':
    'Längste Zeit, in der der Kopf einer Anfrage ankommen muss, 1 bis 300 Sekunden.',
  'What a request body may take beyond one second for each KiB, 1 to 300 seconds.':
    'Was der Body einer Anfrage über eine Sekunde je KiB hinaus dauern darf, 1 bis 300 Sekunden.',
  'A caller who takes nothing of a reply, of a member or of the console, for this long is cut off, 1 to 3600 seconds.':
    'Ein Aufrufer, der so lange nichts von einer Antwort eines Members oder der Konsole abnimmt, wird getrennt, 1 bis 3600 Sekunden.',
  // The audit, log lines and numbers.
  'Age at which closed files of the audit are removed, or its rows in PostgreSQL; unset: they stay.':
    'Alter, in dem geschlossene Dateien des Audit-Protokolls entfernt werden, oder seine Zeilen in PostgreSQL; nicht gesetzt: Sie bleiben.',
  'Size of all closed files of the audit, or of its lines in PostgreSQL, from which on the oldest are removed; unset: they stay.':
    'Größe aller geschlossenen Dateien des Audit-Protokolls oder seiner Zeilen in PostgreSQL, ab der die ältesten entfernt werden; nicht gesetzt: Sie bleiben.',
  'Address that gets the audit by POST, signed; https, or loopback; unset = none.':
    'Adresse, die das Audit-Protokoll signiert als POST bekommt; https oder Loopback; nicht gesetzt: keine.',
  'What its requests are signed with.': 'Womit ihre Anfragen signiert werden.',
  'host:port of a syslog server with TLS that gets the audit; unset = none.':
    'host:port eines Syslog-Servers mit TLS, der das Audit-Protokoll bekommt; nicht gesetzt: keiner.',
  'What its messages carry: the entry as it is stored, or CEF.':
    'Was seine Nachrichten enthalten: den Eintrag, wie er gespeichert ist, oder CEF.',
  'Form of log lines.': 'Form der Log-Zeilen.',
  'Least level that is logged; audit lines are logged at every level but silent.':
    'Niedrigstes Level, das ins Log kommt; Zeilen des Audits kommen bei jedem Level ins Log, nur nicht bei silent.',
  'How long is kept who has used which permission, up to 400 days; what-if and reports look back no further; 0: nothing is counted.':
    'Wie lange aufbewahrt wird, wer welche Berechtigung genutzt hat, bis zu 400 Tage; weiter blicken Was-wäre-wenn und Berichte nicht zurück; 0: Es wird nichts gezählt.',
  'Base address of a collector of OpenTelemetry that takes OTLP over HTTP, such as http://localhost:4318; unset = traces and numbers are sent nowhere.':
    'Basisadresse eines OpenTelemetry-Collectors, der OTLP über HTTP annimmt, zum Beispiel http://localhost:4318; nicht gesetzt: Traces und Zahlen werden nirgendwohin gesendet.',
  'Header fields for it, name=value with a comma between, values percent-encoded.':
    'Header-Felder dafür, name=value durch Kommas getrennt, Werte mit Prozent-Codierung.',
  'Of 100 traces that begin here, so many are recorded; of those that a caller brings, the ones that it records.':
    'Von 100 Traces, die hier beginnen, werden so viele aufgezeichnet; von denen, die ein Aufrufer mitbringt, die, die er aufzeichnet.',
  'How often numbers are sent, 5 to 3600 seconds.': 'Wie oft Zahlen gesendet werden, 5 bis 3600 Sekunden.',
  // The proxy as a process of its own.
  'npm run proxy: its public address, which DPoP proofs name; unset = where it listens.':
    'npm run proxy: seine öffentliche Adresse, die DPoP-Nachweise nennen; nicht gesetzt: die, an der er lauscht.',
  'npm run proxy: the client as which it reads revocation events.':
    'npm run proxy: der Client, als der er Widerrufe liest.',
  'npm run proxy: where the console publishes its keys; its revocation events come from the same host.':
    'npm run proxy: wo die Konsole ihre Schlüssel veröffentlicht; ihre Widerrufe kommen vom selben Host.',
  'npm run proxy: without a sign of the console for this long it lets no call pass, 2 to 300 seconds.':
    'npm run proxy: Nach so langer Zeit ohne Zeichen der Konsole lässt er keinen Aufruf durch, 2 bis 300 Sekunden.',
};
