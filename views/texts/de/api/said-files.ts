/** What is said of files that are taken in, of imports and of configuration, in German. */

/** What is wrong with one line of an import: it stands behind its number, as a sentence. */
const saidOfLines: Readonly<Record<string, string>> = {
  'It is longer than 1 MiB.': 'Die Zeile ist länger als 1 MiB.',
  'It is longer than 1 MiB: is a quotation mark missing?':
    'Die Zeile ist länger als 1 MiB: Fehlt ein Anführungszeichen?',
  'It is not UTF-8.': 'Die Zeile ist nicht in UTF-8.',
  'It is torn: the file ends within it.': 'Die Zeile ist abgerissen: Die Datei endet mitten darin.',
  'It is not JSON.': 'Die Zeile ist kein JSON.',
  'It is JSON, but no object.': 'Die Zeile ist JSON, aber kein Objekt.',
  'A quotation mark is in the wrong place: within a quoted value it is written twice.':
    'Ein Anführungszeichen steht an der falschen Stelle: In einem Wert in Anführungszeichen schreibt man es doppelt.',
  'It has {n} columns, and line 1 names {named}.': 'Die Zeile hat {n} Spalten, und Zeile 1 nennt {named}.',
  'Its name stands in line {n} already, or looks like the one there.':
    'Der Name steht schon in Zeile {n}, oder er sieht aus wie der dort.',
  'Its {what} stands in line {n} already.': 'In Zeile {n} steht das schon: {what}.',
  'person of an identity provider': 'dieselbe Person eines Identitätsanbieters',
  'There is no field {name}; there are {known}.': 'Es gibt kein Feld {name}; es gibt {known}.',
  '{name} is no text.': '{name} ist kein Text.',
  '{name} is neither true nor false.': '{name} ist weder true noch false.',
  '{name} is no list of texts.': '{name} ist keine Liste von Texten.',
  '{name} is no time of the past, such as 2024-05-31T12:00:00Z.':
    '{name} ist kein Zeitpunkt der Vergangenheit wie 2024-05-31T12:00:00Z.',
  'The id is no UUID in lower case: leave it out, and it gets a new one.':
    'Die ID ist keine UUID in Kleinbuchstaben: Lassen Sie sie weg, dann gibt es eine neue.',
  // Users.
  'It has no username.': 'Der Benutzername fehlt.',
  'The username {name} cannot be taken: {why}.':
    'Der Benutzername {name} kann nicht angenommen werden: {why}',
  'The username {name} is reserved, or looks like one that is.':
    'Der Benutzername {name} ist reserviert, oder er sieht aus wie einer, der es ist.',
  '{address} is not an e-mail address.': '{address} ist keine E-Mail-Adresse.',
  'The name has more than 200 characters, or a control character.':
    'Der Name hat mehr als 200 Zeichen oder ein Steuerzeichen.',
  'Provider and subject go together.': 'provider und subject gehören zusammen.',
  'The subject has more than 1024 characters.': 'Das Subject hat mehr als 1024 Zeichen.',
  'There is no identity provider {name}.': 'Es gibt keinen Identitätsanbieter {name}.',
  'An account of an identity provider has no password here.':
    'Ein Konto eines Identitätsanbieters hat hier kein Passwort.',
  'There is a user {name} already.': 'Es gibt schon einen Benutzer {name}.',
  'Somebody or some client has the id of {name}.': 'Jemand oder ein Client hat die ID von {name}.',
  'The person of the identity provider has an account already, by another name than {name}.':
    'Die Person des Identitätsanbieters hat schon ein Konto, unter einem anderen Namen als {name}.',
  'The name {name} looks like that of a user or client that is there.':
    'Der Name {name} sieht aus wie der eines Benutzers oder Clients, den es gibt.',
  // Clients.
  'A public client has no secret.': 'Ein öffentlicher Client hat kein Secret.',
  'Secret and secrets exclude each other.': 'secret und secrets schließen einander aus.',
  'Secrets is no list of at most two.': 'secrets ist keine Liste von höchstens zweien.',
  'A secret has sha256, in base64url, and createdAt.': 'Ein Secret hat sha256, in base64url, und createdAt.',
  'TokenTtlSeconds is no number.': 'tokenTtlSeconds ist keine Zahl.',
  'Jwks is no JWK Set.': 'jwks ist kein JWK Set.',
  'There is a client {name} already.': 'Es gibt schon einen Client {name}.',
  'The id {name} is that of a user or client that is there, or looks like it.':
    'Die ID {name} ist die eines Benutzers oder Clients, den es gibt, oder sie sieht so aus.',
};

/** Of the hash of a password, behind the words for it. */
const saidOfHashes: Readonly<Record<string, string>> = {
  'Its password hash {why}.': 'Der Passwort-Hash {why}.',
  'is of no known form': 'hat keine bekannte Form',
  'has more than {n} characters': 'hat mehr als {n} Zeichen',
  'is not whole: a parameter, the salt or the digest is missing':
    'ist unvollständig: Ein Parameter, das Salt oder der Digest fehlt',
  'is not whole: $2a$, $2b$ or $2y$, two digits, $ and 53 characters make bcrypt':
    'ist unvollständig: $2a$, $2b$ oder $2y$, zwei Ziffern, $ und 53 Zeichen ergeben bcrypt',
  'is too weak: its cost is less than 4': 'ist zu schwach: Der Aufwand ist kleiner als 4',
  'is too weak: {what} is a fast digest or none':
    'ist zu schwach: {what} ist ein schneller Digest oder keiner',
  'is too weak: {name} is {n}, and at least {least} is needed':
    'ist zu schwach: {name} ist {n}, nötig ist mindestens {least}',
  'costs too much to check: {why}': 'ist zu aufwendig zu prüfen: {why}',
  'its cost is {n}, and at most {most} is taken': 'Der Aufwand ist {n}, angenommen wird höchstens {most}',
  'it needs more than 256 MiB': 'Er braucht mehr als 256 MiB',
  '{name} is {n}, and at most {most} is taken': '{name} ist {n}, angenommen wird höchstens {most}',
  'is no hash: a scheme in braces is missing': 'ist keiner: Ein Schema in geschweiften Klammern fehlt',
  'has a scheme {scheme} that is not known': 'hat ein unbekanntes Schema {scheme}',
  'has a salt or digest that is not base64': 'hat ein Salt oder einen Digest, der kein Base64 ist',
  'has a salt that is not of 8 to 256 bytes': 'hat ein Salt, das nicht 8 bis 256 Bytes lang ist',
  'has a digest that is not of 16 to 512 bytes': 'hat einen Digest, der nicht 16 bis 512 Bytes lang ist',
  'has a digest of another length than it says': 'hat einen Digest anderer Länge, als er angibt',
  'has a parameter {name}, which is not known': 'hat einen unbekannten Parameter {name}',
  'lacks the parameter {name}': 'hat den Parameter {name} nicht',
  'is of Argon2 version {version}, not 16 or 19': 'ist von Argon2-Version {version}, nicht von 16 oder 19',
  'has less than 8 KiB for each lane': 'hat weniger als 8 KiB für jede Lane',
  'is PBKDF2 of a digest other than SHA-1, SHA-256 and SHA-512':
    'ist PBKDF2 mit einem anderen Digest als SHA-1, SHA-256 und SHA-512',
  'is MD5-crypt': 'ist MD5-crypt',
  'is SHA-crypt, which this server does not compute': 'ist SHA-crypt, das dieser Server nicht berechnet',
  'is yescrypt or scrypt of crypt(3), which this server does not compute':
    'ist yescrypt oder scrypt von crypt(3), das dieser Server nicht berechnet',
  'is a single fast digest, which is too weak': 'ist ein einzelner schneller Digest, was zu schwach ist',
  'is too weak: {name} is a fast digest': 'ist zu schwach: {name} ist ein schneller Digest',
  'is of an algorithm other than argon2, pbkdf2, pbkdf2-sha256 and pbkdf2-sha512':
    'hat einen anderen Algorithmus als argon2, pbkdf2, pbkdf2-sha256 und pbkdf2-sha512',
  'is of an algorithm other than argon2, bcrypt, pbkdf2 and scrypt':
    'hat einen anderen Algorithmus als argon2, bcrypt, pbkdf2 und scrypt',
  'has no secretData and credentialData in JSON': 'hat kein secretData und credentialData in JSON',
  'is not whole: the hash or the salt has no value':
    'ist unvollständig: Der Hash oder das Salt hat keinen Wert',
  'has a cost that is no power of two': 'hat einen Aufwand, der keine Zweierpotenz ist',
  'has a salt or digest that is not of its encoding':
    'hat ein Salt oder einen Digest, der nicht in seiner Codierung ist',
};

/** What ends an import as a whole. */
const saidOfImports: Readonly<Record<string, string>> = {
  '{what} Nothing was written.': '{what} Es wurde nichts geschrieben.',
  'Line {n}: {why}': 'Zeile {n}: {why}',
  'Nobody could administer the console: add an administrator first.':
    'Niemand könnte die Konsole verwalten: Legen Sie erst einen Administrator an.',
  '{what} stored: ask for it again with skipExisting.':
    'Schon gespeichert: {what}. Fordern Sie ihn noch einmal an, mit skipExisting.',
  'Its lines up to {n} are': 'die Zeilen bis {n}',
  'Some of its first lines may be': 'vielleicht einige der ersten Zeilen',
  'What was uploaded for it is not there any more.': 'Was dafür hochgeladen wurde, ist nicht mehr da.',
  'The file has no line with the names of its columns.':
    'Die Datei hat keine Zeile mit den Namen ihrer Spalten.',
  'The file is compressed: unpack it first, or give it by gunzip -c FILE | … -':
    'Die Datei ist komprimiert: Entpacken Sie sie erst, oder geben Sie sie mit gunzip -c FILE | … -',
  'The file is not UTF-8 (it looks like UTF-16): iconv -f UTF-16 -t UTF-8 changes that.':
    'Die Datei ist nicht in UTF-8, sondern wohl in UTF-16: iconv -f UTF-16 -t UTF-8 ändert das.',
  'Columns are separated by commas, and here by something else.':
    'Spalten sind durch Kommas getrennt, hier sind sie es durch etwas anderes.',
  'There is no column {name}. {known}': 'Es gibt keine Spalte {name}. {known}',
  'The column {name} is there twice.': 'Die Spalte {name} gibt es zweimal.',
  'The column {name} is missing. {known}': 'Die Spalte {name} fehlt. {known}',
  'Columns are {names}.': 'Spalten sind {names}.',
};

/** What keeps files of configuration from being in force. */
const saidOfConfiguration: Readonly<Record<string, string>> = {
  '{file} is not YAML at line {n} ({code}).': '{file} ist kein YAML: Zeile {n} ({code}).',
  '{file} is not JSON at line {n} ({code}).': '{file} ist kein JSON: Zeile {n} ({code}).',
  '{file} is not JSON at line {n}.': '{file} ist kein JSON: Zeile {n}.',
  'is not JSON: a text in it has a character that must be escaped':
    'ist kein JSON: Ein Text darin hat ein Zeichen, das maskiert werden muss',
  'is not YAML (BAD_ALIAS)': 'ist kein YAML (BAD_ALIAS)',
  'is nested too deeply': 'ist zu tief verschachtelt',
  'is not a description: it begins with version and source':
    'ist keine Beschreibung: Eine beginnt mit version und source',
  'has settings, which stand in console.yaml or the environment of a console':
    'hat Einstellungen; die stehen in console.yaml oder in der Umgebung einer Konsole',
  'has a secret in it: give it by file or env': 'enthält ein Geheimnis: Geben Sie es mit file oder env an',
  '{file} names {name}, which is not set in the environment.':
    '{file} nennt {name}; das ist in der Umgebung nicht gesetzt.',
  '{file} names {name}, which is outside the directory of the configuration.':
    '{file} nennt {name}; das liegt außerhalb des Verzeichnisses der Konfiguration.',
  '{file} has more than {n} bytes.': '{file} hat mehr als {n} Bytes.',
  '{file} cannot be read ({code}).': '{file} kann nicht gelesen werden ({code}).',
  '{file} is wrong: {why}': '{file} ist fehlerhaft: {why}',
  '{file}ml {why}.': '{file}ml {why}.',
  '{file}.json {why}.': '{file}.json {why}.',
  'The directory cannot be read ({code}).': 'Das Verzeichnis kann nicht gelesen werden ({code}).',
  'There are more than {n} files.': 'Es gibt mehr als {n} Dateien.',
};

export const saidOfFilesInGerman: Readonly<Record<string, string>> = {
  ...saidOfLines,
  ...saidOfHashes,
  ...saidOfImports,
  ...saidOfConfiguration,
};
