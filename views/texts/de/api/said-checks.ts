/** What checks of input say, and rarer answers of the API, in German. */

/** As the library of schemas says it by itself. */
export const saidBySchemasInGerman: Readonly<Record<string, string>> = {
  'Too small: expected string to have >={n} characters': 'Zu kurz: mindestens {n} Zeichen',
  'Too big: expected string to have <={n} characters': 'Zu lang: höchstens {n} Zeichen',
  'Too small: expected array to have >={n} items': 'Zu wenige: mindestens {n}',
  'Too big: expected array to have <={n} items': 'Zu viele: höchstens {n}',
  'Too small: expected number to be >={n}': 'Zu klein: mindestens {n}',
  'Too small: expected number to be >{n}': 'Zu klein: mehr als {n}',
  'Too big: expected number to be <={n}': 'Zu groß: höchstens {n}',
  'Too big: expected number to be <{n}': 'Zu groß: weniger als {n}',
  'Invalid option: expected one of {options}': 'Nicht vorgesehen: möglich ist eines von {options}',
  'Invalid input: expected {what}, received {given}': 'Falsche Art von Wert: {what} statt {given}',
  'Invalid input: expected {what}': 'Falscher Wert: erwartet wird {what}',
  'Invalid string: must match pattern {pattern}': 'Nicht in der richtigen Form: {pattern}',
  'Invalid ISO datetime': 'Keine Zeitangabe nach ISO 8601',
  'Invalid base64-encoded string': 'Kein Base64',
  'Invalid URL': 'Keine Adresse',
  'Invalid email address': 'Keine E-Mail-Adresse',
  'Invalid input': 'Ungültig',
};

export const saidByChecksInGerman: Readonly<Record<string, string>> = {
  ...saidBySchemasInGerman,
  // The same in plain words.
  'It may not be empty.': 'Es darf nicht leer sein.',
  'It has at least {n} characters.': 'Es hat mindestens {n} Zeichen.',
  'It has at most {n} characters.': 'Es hat höchstens {n} Zeichen.',
  'Give at least one.': 'Nennen Sie mindestens eines.',
  'Give at least {n} of them.': 'Nennen Sie mindestens {n}.',
  'Give at most {n} of them.': 'Nennen Sie höchstens {n}.',
  'It is at least {number}.': 'Es ist mindestens {number}.',
  'It is more than {number}.': 'Es ist mehr als {number}.',
  'It is at most {number}.': 'Es ist höchstens {number}.',
  'It is less than {number}.': 'Es ist weniger als {number}.',
  'It is one of {options}.': 'Es ist eines von {options}.',
  'It is missing.': 'Es fehlt.',
  'It has to be text.': 'Es muss Text sein.',
  'It has to be a number.': 'Es muss eine Zahl sein.',
  'It has to be a whole number.': 'Es muss eine ganze Zahl sein.',
  'It has to be true or false.': 'Es muss true oder false sein.',
  'It has to be a list.': 'Es muss eine Liste sein.',
  'It has to be an object.': 'Es muss ein Objekt sein.',
  'It has to be null.': 'Es muss null sein.',
  'It has to be {value}.': 'Es muss {value} sein.',
  'It cannot be this.': 'Das kann es nicht sein.',
  'It does not have the form that it needs here.': 'Es hat nicht die Form, die es hier braucht.',
  'It is no time such as 2026-01-31T12:00:00Z.': 'Es ist keine Zeit wie 2026-01-31T12:00:00Z.',
  'It is no base64.': 'Es ist kein Base64.',
  'It is no address.': 'Es ist keine Adresse.',
  'It is no e-mail address.': 'Es ist keine E-Mail-Adresse.',
  // What forms are made of.
  'It has 1 to 64 letters from A to Z, digits and the characters . _ -, and starts with a letter or a digit.':
    'Es hat 1 bis 64 Buchstaben von A bis Z, Ziffern und die Zeichen . _ - und beginnt mit einem Buchstaben oder einer Ziffer.',
  'It has 1 to 64 small letters from a to z, digits and the characters . _ -, and starts with a letter or a digit.':
    'Es hat 1 bis 64 kleine Buchstaben von a bis z, Ziffern und die Zeichen . _ - und beginnt mit einem Buchstaben oder einer Ziffer.',
  'It has 1 to 64 letters from A to Z, digits and the characters . _ -, and starts with a letter.':
    'Es hat 1 bis 64 Buchstaben von A bis Z, Ziffern und die Zeichen . _ - und beginnt mit einem Buchstaben.',
  'It has 1 to 64 letters from A to Z, digits and -, and starts with a letter.':
    'Es hat 1 bis 64 Buchstaben von A bis Z, Ziffern und - und beginnt mit einem Buchstaben.',
  'It is # and six digits or letters from a to f, such as #0f5a49.':
    'Es ist # mit sechs Ziffern oder Buchstaben von a bis f, etwa #0f5a49.',
  'It is two numbers with a point between them, such as 5.5.':
    'Es sind zwei Zahlen mit einem Punkt dazwischen, etwa 5.5.',
  'It is one line of 1 to 1,000 characters.': 'Es ist eine Zeile von 1 bis 1.000 Zeichen.',
  'It is one line.': 'Es ist eine Zeile.',
  'It is base64: letters from A to Z, digits, + and /, with = at its end.':
    'Es ist Base64: Buchstaben von A bis Z, Ziffern, + und /, mit = am Ende.',
  'It is a media type such as application/json, in letters without accents.':
    'Es ist ein Medientyp wie application/json, in Buchstaben ohne Akzente.',
  'It is a host and a port, such as 10.0.0.1:5701, or the UUID of the member.':
    'Es ist ein Host mit Port, etwa 10.0.0.1:5701, oder die UUID des Members.',
  'It has 1 to 200 characters, none of them a space, a quotation mark, < > / or a backslash, and is not . or .. alone.':
    'Es hat 1 bis 200 Zeichen, darunter weder Leerzeichen noch Anführungszeichen, < > / oder Backslash, und ist nicht . oder .. allein.',
  'It has 1 to 1,000 characters, none of them a quotation mark, < > or a backslash, begins and ends with no space, ends with no slash, and has no . or .. between slashes.':
    'Es hat 1 bis 1.000 Zeichen, darunter weder Anführungszeichen noch < > oder Backslash, beginnt und endet nicht mit einem Leerzeichen, endet nicht mit einem Schrägstrich und hat kein . oder .. zwischen Schrägstrichen.',
  'It has 1 to 256 letters without accents, digits and signs, without a space, a quotation mark or a backslash.':
    'Es hat 1 bis 256 Buchstaben ohne Akzente, Ziffern und Zeichen, ohne Leerzeichen, Anführungszeichen und Backslash.',
  // Checks that say it themselves.
  'Not as it should be: {what}.': 'Nicht so, wie es sein soll: {what}.',
  'A name goes with a password.': 'Zu einem Namen gehört ein Passwort.',
  'This is not a method.': 'Das ist keine Methode.',
  'Give decision, or one of client and user with method and path.':
    'Nennen Sie decision, oder client oder user mit method und path.',
  'This is no address of the members.': 'Das ist keine Adresse der Member.',
  'Give user, client or provider.': 'Nennen Sie user, client oder provider.',
  'Is a status, or one to five and xx.': 'Das ist kein Status und nicht 1 bis 5 mit xx.',
  'Is map: or queue:, and a name.': 'Hier stehen map: oder queue: und ein Name.',
  'A reason is one line that says something.': 'Eine Begründung ist eine Zeile, die etwas sagt.',
  'A password comes without a link.': 'Zu einem Passwort gehört kein Link.',
  'Not the name of a user.': 'Das ist kein Benutzername.',
  'Give at least one member.': 'Nennen Sie mindestens ein Feld.',
  'It has 1 to 32 characters of a-z, 0-9 and -, and begins and ends with none of -.':
    'Es hat 1 bis 32 Zeichen aus a-z, 0-9 und - und beginnt und endet nicht mit -.',
  'Most goes with query.': 'most gehört zu query.',
  'Give ids or query.': 'Nennen Sie ids oder query.',
  'There is no such act of this caller, or not any more.':
    'Eine solche Aktion dieses Aufrufers gibt es nicht oder nicht mehr.',
  'All sessions are ended by POST /api/v1/sessions/end-all, with which a second administrator has to agree.':
    'Alle Sitzungen beendet POST /api/v1/sessions/end-all, und ein zweiter Administrator muss zustimmen.',
  'A query of all has no cursor and no limit.': 'Eine Abfrage von allem hat weder cursor noch limit.',
  // Calls of the API.
  'There is nothing at this address.': 'Unter dieser Adresse ist nichts.',
  'This address takes no parameters.': 'Diese Adresse nimmt keine Parameter.',
  'This address takes {what}.': 'Diese Adresse nimmt {what}.',
  'The body is not JSON in UTF-8.': 'Der Body ist kein JSON in UTF-8.',
  'The body has more than {n} MiB.': 'Der Body hat mehr als {n} MiB.',
  'This needs the role {role}, or one with the permission {scope}.':
    'Dafür brauchen Sie die Rolle {role} oder eine mit der Berechtigung {scope}.',
  'This needs {what}.': 'Dafür braucht es {what}.',
  'An administrator can give you what is missing.': 'Ein Administrator kann Ihnen geben, was fehlt.',
  'If-Match takes the ETag of an answer, or *.': 'If-Match nimmt den ETag einer Antwort oder *.',
  'If-None-Match takes * alone: only when there is none yet.':
    'If-None-Match nimmt nur *: nur, wenn es noch keines gibt.',
  'This cursor is none that an answer here has given for this list and these filters.':
    'Diesen Cursor hat für diese Liste und diese Filter keine Antwort gegeben.',
  'sort does not go together with a filter.': 'sort geht nicht zusammen mit einem Filter.',
  'sort does not go together with q.': 'sort geht nicht zusammen mit q.',
  'This caller may make {n} {what} a second here: wait a second, and go on.':
    'Dieser Aufrufer darf hier {n} {what} in der Sekunde machen: Warten Sie eine Sekunde, und machen Sie weiter.',
  'This caller has {n} streams and exports under way here, which is as many as may be: let one end first.':
    'Dieser Aufrufer hat hier {n} laufende Streams und Exporte, mehr dürfen es nicht sein: Lassen Sie erst einen enden.',
  'An Idempotency-Key has 16 to 255 characters: letters, digits and signs, without spaces.':
    'Ein Idempotency-Key hat 16 bis 255 Zeichen: Buchstaben, Ziffern und Satzzeichen, ohne Leerzeichen.',
  'This Idempotency-Key came before with another request: each needs a key of its own.':
    'Dieser Idempotency-Key kam schon mit einer anderen Anfrage: Jede braucht ihren eigenen.',
  'The call of this Idempotency-Key is under way: ask again for its answer.':
    'Der Aufruf zu diesem Idempotency-Key läuft noch: Fragen Sie noch einmal nach seiner Antwort.',
  'Nobody is signed in with this browser.': 'In diesem Browser ist niemand angemeldet.',
  'This session has ended: sign in again.': 'Diese Sitzung ist zu Ende: Melden Sie sich noch einmal an.',
  'The current password is not right.': 'Das jetzige Passwort stimmt nicht.',
  // Dry runs, and files of configuration.
  'There is no dry run of this here.': 'Hierfür gibt es keinen Probelauf.',
  'There is no dry run of what a member does.': 'Was ein Member tut, lässt sich nicht zur Probe tun.',
  'Ask for onlyCheck=true instead.': 'Verlangen Sie stattdessen onlyCheck=true.',
  'Nothing of this source has been applied.': 'Von dieser Quelle wurde nichts angewendet.',
  'There is no such plan any more: plan anew.': 'Diesen Plan gibt es nicht mehr: Planen Sie neu.',
  'This console does not take {what} from files.': 'Diese Konsole nimmt {what} nicht aus Dateien.',
  'Something that it touches has changed since: plan anew.':
    'Etwas, das er berührt, hat sich seitdem geändert: Planen Sie neu.',
  'Too many change this at the same time: try again.':
    'Zu viele ändern das gleichzeitig: Versuchen Sie es noch einmal.',
  'The source {source} describes it: change it there, or say takeOver=true.':
    'Die Quelle {source} beschreibt es: Ändern Sie es dort, oder sagen Sie takeOver=true.',
  'The files are of different sources or versions.':
    'Die Dateien sind von verschiedenen Quellen oder Versionen.',
  'Two files describe {what}.': 'Zwei Dateien beschreiben {what}.',
  'This is no export of one realm: {why}.': 'Das ist kein Export eines Realms: {why}.',
  'This has no hz-mc conf in it, nor mc-conf.': 'Darin ist weder hz-mc conf noch mc-conf.',
  // What is not there, or stays as it is.
  'A store is put back while nobody uses it: stop the console, then run npx console restore {path}':
    'Ein Speicher wird zurückgespielt, während ihn niemand benutzt: Halten Sie die Konsole an, dann führen Sie npx console restore {path} aus',
  'The key set has no key of this id.': 'Der Schlüsselsatz hat keinen Schlüssel dieser ID.',
  'There is no licence.': 'Es gibt keine Lizenz.',
  'The licence cannot be taken. {why}': 'Die Lizenz kann nicht angenommen werden. {why}',
  '{n} of these are read already.': '{n} davon werden schon gelesen.',
  '{roles} are built in and stay as they are.': '{roles} sind eingebaut und bleiben, wie sie sind.',
  '{role} is built in and stays as it is.': '{role} ist eingebaut und bleibt, wie es ist.',
  'There is no setting of this name.': 'Es gibt keine Einstellung dieses Namens.',
  'There is no such session, or not any more.': 'Diese Sitzung gibt es nicht oder nicht mehr.',
  'There is no such elevation.': 'Diese erhöhten Rechte gibt es nicht.',
  'The elevation under which this was asked for has ended meanwhile.':
    'Die erhöhten Rechte, unter denen das beantragt wurde, sind inzwischen zu Ende.',
  'The application {client} does not get the role {role} of anybody.':
    'Die Anwendung {client} bekommt von niemandem die Rolle {role}.',
  'No such call waits, or it has been answered meanwhile.':
    'Ein solcher Aufruf wartet nicht, oder er ist inzwischen beantwortet.',
  'This console was not asked about such a publisher.':
    'Nach einem solchen Publisher wurde diese Konsole nicht gefragt.',
  'Only people pin something.': 'Nur Personen heften etwas an.',
  'There is no user {user}.': 'Es gibt keinen Benutzer {user}.',
  'There is no role {role}.': 'Es gibt keine Rolle {role}.',
  'The client {client} may not ask for {scope}.': 'Der Client {client} darf {scope} nicht anfordern.',
  // The audit.
  'The console that writes the audit erases: start it.':
    'Die Konsole, die das Audit-Protokoll schreibt, löscht: Starten Sie sie.',
  'What the audit says of itself stays.': 'Was das Audit-Protokoll von sich selbst sagt, bleibt.',
  'The entry is still there: ask again.': 'Der Eintrag ist noch da: Fragen Sie noch einmal.',
  'The index of the audit is being made: ask again in a while.':
    'Der Index des Audit-Protokolls wird gerade gemacht: Fragen Sie später noch einmal.',
  'The audit cannot be read at the moment: try again.':
    'Das Audit-Protokoll kann gerade nicht gelesen werden: Versuchen Sie es noch einmal.',
  // Identity providers.
  'There is no identity provider of this id: If-Match is for one that is there.':
    'Es gibt keinen Identitätsanbieter dieser ID: If-Match ist für einen, den es gibt.',
  'The answer of the identity provider is too long.': 'Die Antwort des Identitätsanbieters ist zu lang.',
  'There is no identity provider at this address, it is switched off, or it logs out in another way.':
    'Unter dieser Adresse gibt es keinen Identitätsanbieter, er ist abgeschaltet, oder er meldet auf andere Weise ab.',
  'There is no SAML identity provider at this address.':
    'Unter dieser Adresse gibt es keinen SAML-Identitätsanbieter.',
  'The record of {id} cannot be read: {why}.': 'Der Datensatz von {id} lässt sich nicht lesen: {why}.',
  'This is a provider of kind {kind}: remove it, or add the other under another id.':
    'Das ist ein Anbieter der Art {kind}: Entfernen Sie ihn, oder fügen Sie den anderen unter einer anderen ID hinzu.',
  'Its people are let in by enable, and kept out by disable: a replacement leaves it as it is.':
    'Seine Personen lässt enable herein und hält disable draußen: Ein Ersatz lässt das, wie es ist.',
  'A name and a password are for ldap; at {kind} providers people sign in themselves.':
    'Name und Passwort sind für ldap; bei Anbietern der Art {kind} melden sich Personen selbst an.',
  'The metadata cannot be fetched: the answer was {status}.':
    'Die Metadaten lassen sich nicht abrufen: Die Antwort war {status}.',
  'The metadata cannot be fetched: {why}.': 'Die Metadaten lassen sich nicht abrufen: {why}.',
  'The provider is {state}.': 'Der Anbieter ist {state}.',
  'The {what} must be https; http is for loopback only.':
    '{what} muss https sein; http ist nur für Loopback.',
  // Approvals.
  '{n} changes wait for an approval already.': '{n} Änderungen warten schon auf eine Freigabe.',
  'The answer is for who has asked.': 'Die Antwort ist für den, der gefragt hat.',
  'There is no such approval.': 'Diese Freigabe gibt es nicht.',
  'This needs the approval of a second administrator, and {why}.':
    'Das braucht die Freigabe eines zweiten Administrators, und {why}.',
  // Denials.
  'A member proxy in a process of its own has refused this, and the console does not know of it yet: it reports its denials within seconds while the two can talk, and forgets them after a day. That process has it in its log, in the line with this decisionId.':
    'Das hat ein Member-Proxy in einem eigenen Prozess abgelehnt, und die Konsole weiß noch nichts davon: Er meldet seine Ablehnungen binnen Sekunden, solange die beiden einander erreichen, und vergisst sie nach einem Tag. Im Log dieses Prozesses steht sie, in der Zeile mit dieser decisionId.',
  'No denial of this id is known. They are kept for a day, the newest ten thousand; of a caller who is denied more than 20 times a second, only some.':
    'Eine Ablehnung dieser ID ist nicht bekannt. Sie werden einen Tag lang aufbewahrt, die neuesten zehntausend; von einem Aufrufer, der mehr als 20-mal in der Sekunde abgelehnt wird, nur einige.',
  'This is no batch of denials.': 'Das ist kein Stapel von Ablehnungen.',
  'More processes have reported denials today than are kept.':
    'Heute haben mehr Prozesse Ablehnungen gemeldet, als aufbewahrt werden.',
  'This is no report of calls.': 'Das ist kein Bericht über Aufrufe.',
  'More reports of calls have come than are taken.':
    'Es kamen mehr Berichte über Aufrufe, als angenommen werden.',
  'Only calls to members can be muted that lack a permission, of a caller who is known.':
    'Stummschalten lassen sich nur Aufrufe bei Membern, denen eine Berechtigung fehlt, von einem bekannten Aufrufer.',
  'No denials are muted by this id, or not any more.':
    'Unter dieser ID ist nichts stummgeschaltet, oder nicht mehr.',
  'More than {n} cannot be muted: unmute one first.':
    'Mehr als {n} lassen sich nicht stummschalten: Heben Sie erst eine Stummschaltung auf.',
};
