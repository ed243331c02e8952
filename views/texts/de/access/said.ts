/** What operations of Access answer, and dry runs find, in German. */
export const saidByOperationsInGerman: Readonly<Record<string, string>> = {
  // What problems are called.
  'A second administrator has to agree': 'Ein zweiter Administrator muss zustimmen',
  'This gives more than the caller has': 'Das gibt mehr, als Sie selbst haben',
  'Files of configuration own this': 'Konfigurationsdateien beschreiben dies',
  'Nobody could administer the console any more': 'Niemand könnte die Konsole mehr verwalten',
  'This is the account of the caller': 'Das ist Ihr eigenes Konto',
  'The address is not one that the console calls': 'Diese Adresse ruft die Konsole nicht auf',
  // What was wrong with a change.
  'This was undone already.': 'Das wurde schon rückgängig gemacht.',
  'There is nothing here that could be undone.': 'Hier gibt es nichts, das sich rückgängig machen ließe.',
  'This has changed meanwhile: read it again, and change what is there now.':
    'Das hat sich inzwischen geändert: Lesen Sie es noch einmal, und ändern Sie, was jetzt dort steht.',
  'There is one of this id already.': 'Diese ID gibt es schon.',
  'There is no such user.': 'Diesen Benutzer gibt es nicht.',
  'There is no user of this name.': 'Es gibt keinen Benutzer dieses Namens.',
  'There is a client {id} already.': 'Den Client {id} gibt es schon.',
  'There is a role {id} already.': 'Die Rolle {id} gibt es schon.',
  'There is an identity provider {id} already.': 'Den Identitätsanbieter {id} gibt es schon.',
  'Nobody could sign in: roles come from rules only. Give at least one role rule (attribute=value -> Role), or a default role.':
    'Niemand könnte sich anmelden: Rollen kommen nur aus Regeln. Geben Sie mindestens eine Rollenregel an (attribute=value -> Role) oder eine Standardrolle.',
  'The rule {rule} has no arrow; write attribute=value -> Role.':
    'Die Regel {rule} hat keinen Pfeil; schreiben Sie attribute=value -> Role.',
  'The rule {rule} has no = before the arrow; write attribute=value -> Role.':
    'Die Regel {rule} hat kein = vor dem Pfeil; schreiben Sie attribute=value -> Role.',
  'The rule {rule} names no attribute before the =.': 'Die Regel {rule} nennt kein Attribut vor dem =.',
  'The rule {rule} has no value after the =; an empty one matches nobody.':
    'Die Regel {rule} hat keinen Wert nach dem =; ein leerer trifft auf niemanden zu.',
  'The rule {rule} gives a role that is none; there are {roles}, and custom ones.':
    'Die Regel {rule} gibt eine Rolle, die keine ist; es gibt {roles} und eigene.',
  'Admin cannot be the default role: write a rule that says who is administrator.':
    'Admin kann nicht die Standardrolle sein: Schreiben Sie eine Regel, die sagt, wer Administrator ist.',
  'The default role {role} is none; there are {roles}, and custom ones.':
    'Die Standardrolle {role} gibt es nicht; es gibt {roles} und eigene.',
  'A rule looks at groups, which come from a group search: set the base DN of groups, or use memberOf.':
    'Eine Regel fragt nach groups, die aus einer Gruppensuche kommen: Geben Sie die Base-DN der Gruppen an, oder nehmen Sie memberOf.',
  'A rule of a directory names an attribute of its entries, such as memberOf or employeeType.':
    'Eine Regel für ein Verzeichnis nennt ein Attribut seiner Einträge, etwa memberOf oder employeeType.',
  'There is an identity provider of this id already.': 'Einen Identitätsanbieter dieser ID gibt es schon.',
  'There is no identity provider of this id.': 'Es gibt keinen Identitätsanbieter dieser ID.',
  'There is no custom role of this name.': 'Es gibt keine eigene Rolle dieses Namens.',
  'There is no {kind} of this id.': 'Unter dieser ID gibt es nichts ({kind}).',
  'There is no client {id}.': 'Es gibt keinen Client {id}.',
  'There is no role {role}. There are {known}.': 'Es gibt keine Rolle {role}. Es gibt {known}.',
  'There is no {what} {given}. Known are {known}.':
    '{given} ist hier nicht bekannt ({what}). Bekannt sind {known}.',
  'There are {n} roles already, and more are not kept.':
    'Es gibt schon {n} Rollen, und mehr werden nicht gespeichert.',
  'The client id {id} is the id of a user.': 'Die Client-ID {id} ist die ID eines Benutzers.',
  'The identity provider {id} is being removed.': 'Der Identitätsanbieter {id} wird gerade entfernt.',
  'This client has no secret of this id.': 'Dieser Client hat kein Secret dieser ID.',
  'Nobody could administer the console any more.': 'Niemand könnte die Konsole mehr verwalten.',
  'This is your own account: have another administrator disable it, remove it or take the role Admin from it.':
    'Das ist Ihr eigenes Konto: Lassen Sie es von einem anderen Administrator deaktivieren, entfernen oder ihm die Rolle Admin nehmen.',
  'Nobody gives or changes what has more than they have: {more} is not among what {whose} open.':
    'Niemand gibt oder ändert, was mehr darf als er selbst: {more} gehört nicht zu dem, was {whose} öffnen.',
  'This needs a sign-in within the last five minutes: sign in again, and repeat it.':
    'Dafür müssen Sie sich in den letzten fünf Minuten angemeldet haben: Melden Sie sich noch einmal an, und wiederholen Sie es.',
  'A client id has 1 to 64 letters (a to z), digits and the characters . _ - and starts with a letter or a digit.':
    'Eine Client-ID hat 1 bis 64 Buchstaben (a bis z), Ziffern und die Zeichen . _ - und beginnt mit einem Buchstaben oder einer Ziffer.',
  'A client id must not look like the id of a user (a UUID).':
    'Eine Client-ID darf nicht wie die ID eines Benutzers (eine UUID) aussehen.',
  'A name has 1 to 64 characters, none of which is a control character.':
    'Ein Name hat 1 bis 64 Zeichen, und keines davon ist ein Steuerzeichen.',
  'A name is one line of 1 to {n} characters, and not of spaces alone.':
    'Ein Name ist eine Zeile von 1 bis {n} Zeichen, und nicht nur Leerzeichen.',
  'A role needs a permission, such as svc:health:read.':
    'Eine Rolle braucht eine Berechtigung, zum Beispiel svc:health:read.',
  'A role has at most {n} permissions.': 'Eine Rolle hat höchstens {n} Berechtigungen.',
  'The description of a role is one line of at most {n} characters.':
    'Die Beschreibung einer Rolle ist eine Zeile von höchstens {n} Zeichen.',
  'The grant authorization_code needs a redirect address.':
    'Der Grant authorization_code braucht eine Redirect-Adresse.',
  'The scope {scope} is for machines: register a client of its own for it.':
    'Der Scope {scope} ist für Maschinen: Legen Sie dafür einen eigenen Client an.',
  'The id of a provider has 1 to 32 characters of a-z, 0-9 and -, and begins and ends with none of -.':
    'Die ID eines Anbieters hat 1 bis 32 Zeichen aus a-z, 0-9 und - und beginnt und endet nicht mit -.',
  'The shown name has 1 to 64 characters.': 'Der gezeigte Name hat 1 bis 64 Zeichen.',
  'Use at least {n} characters.': 'Nehmen Sie mindestens {n} Zeichen.',
  'Use at most {n} characters.': 'Nehmen Sie höchstens {n} Zeichen.',
  'You sign in with {name}: your password is changed there.':
    'Sie melden sich über {name} an: Ihr Passwort wird dort geändert.',
  'Two users would have the same {what}.': 'Zwei Benutzer hätten dasselbe ({what}).',
  'not an e-mail address': 'keine E-Mail-Adresse',
  'a name is one line, and not of spaces alone': 'ein Name ist eine Zeile, und nicht nur Leerzeichen',
  // Approvals, and roles that are taken for a while.
  'Somebody has decided on this already: ask for it anew.':
    'Darüber hat schon jemand entschieden: Fragen Sie es neu an.',
  'Who has asked for this is here no longer.': 'Wer das angefragt hat, ist nicht mehr da.',
  'There is no answer of this yet, or not any more.': 'Davon gibt es noch keine Antwort, oder keine mehr.',
  'This does not wait any more: it is {state}.': 'Das wartet nicht mehr ({state}).',
  'An elevation lasts {n} minutes at most.': 'Eine Rolle auf Zeit gilt höchstens {n} Minuten.',
  '{role} is not among the roles that you may take.':
    '{role} gehört nicht zu den Rollen, die Sie übernehmen dürfen.',
  'What {role} opens is yours already, and stays.': 'Was {role} öffnet, dürfen Sie schon, und das bleibt so.',
  'You have {role} for a while already: end that first.':
    'Sie haben {role} schon auf Zeit: Beenden Sie das zuerst.',
  'This elevation has ended already.': 'Diese Rolle auf Zeit ist schon beendet.',
  'Your last elevation is just being ended: sign in again in a moment.':
    'Ihre letzte Rolle auf Zeit wird gerade beendet: Melden Sie sich gleich noch einmal an.',
  // Why there is no token, or no call.
  'The client is disabled.': 'Der Client ist deaktiviert.',
  'Only calls that read are made here.': 'Hier werden nur lesende Aufrufe gemacht.',
  'Only administrators see what an identity provider sends.':
    'Nur Administratoren sehen, was ein Identitätsanbieter sendet.',
  'This test was begun in another session. Begin it again on the page of the provider.':
    'Dieser Test wurde in einer anderen Sitzung begonnen. Beginnen Sie ihn auf der Seite des Anbieters noch einmal.',
  // The steps of a dry run.
  connection: 'Verbindung',
  discovery: 'Discovery',
  endpoints: 'Endpunkte',
  'key set': 'Key Set',
  'authorization request': 'Authorization Request',
  'authorization endpoint': 'Authorization Endpoint',
  'token endpoint': 'Token Endpoint',
  'user filter': 'Benutzerfilter',
  'sign-on address': 'Anmeldeadresse',
  'metadata as pinned': 'Metadaten wie festgehalten',
  certificate: 'Zertifikat',
  'code flow with PKCE, state and nonce': 'Code Flow mit PKCE, State und Nonce',
  'sends on to a sign-in': 'leitet zu einer Anmeldung weiter',
  'shows a page': 'zeigt eine Seite',
  'all of them are https': 'alle sind https',
  'http at loopback, as the issuer': 'http an Loopback, wie der Issuer',
  '{usable} of {all} keys can verify {alg}': '{usable} von {all} Schlüsseln können {alg} prüfen',
  'none of {all} keys can verify {alg}': 'keiner von {all} Schlüsseln kann {alg} prüfen',
  'believes this client ({method}) and refuses a made-up code':
    'glaubt diesem Client ({method}) und lehnt einen erfundenen Code ab',
  'does not believe this client ({method})': 'glaubt diesem Client nicht ({method})',
  'refuses with {status}': 'lehnt mit {status} ab',
  'the provider calls itself {named}, and {issuer} is configured':
    'der Anbieter nennt sich {named}, eingetragen ist {issuer}',
  'no rule gives a role: this person is refused': 'keine Regel gibt eine Rolle: Diese Person wird abgelehnt',
  'the name or the password is wrong': 'der Name oder das Passwort ist falsch',
  'See the steps above.': 'Siehe die Schritte darüber.',
  'Check --issuer, and that this machine reaches it.':
    'Prüfen Sie --issuer, und ob dieser Rechner ihn erreicht.',
  'Check --ldap-url, and that this machine reaches it.':
    'Prüfen Sie --ldap-url, und ob dieser Rechner sie erreicht.',
  'Check --metadata-url, and that this machine reaches it.':
    'Prüfen Sie --metadata-url, und ob dieser Rechner sie erreicht.',
  'Check --ldap-url, and whether the directory offers StartTLS; ldaps: is the other way.':
    'Prüfen Sie --ldap-url, und ob das Verzeichnis StartTLS anbietet; ldaps: ist der andere Weg.',
  'Check --bind-dn and --bind-password-file.': 'Prüfen Sie --bind-dn und --bind-password-file.',
  'Check --user-filter.': 'Prüfen Sie --user-filter.',
  'Check {flag}, and what --bind-dn may read.': 'Prüfen Sie {flag}, und was --bind-dn lesen darf.',
  'More are found by now than this was asked for. Nothing was done: look at them, and ask again.':
    'Inzwischen sind es mehr, als gefragt war. Nichts wurde getan: Sehen Sie sie an, und fragen Sie noch einmal.',
  'Change --role-rule or --default-role.': 'Ändern Sie --role-rule oder --default-role.',
  'This machine has to reach the token endpoint.': 'Dieser Rechner muss den Token Endpoint erreichen.',
  'The provider has to publish https addresses.': 'Der Anbieter muss https-Adressen veröffentlichen.',
  'The provider has to serve its keys (jwks_uri) to this machine.':
    'Der Anbieter muss seine Schlüssel (jwks_uri) an diesen Rechner ausliefern.',
  'Give --issuer exactly as the provider writes it, to the slash at its end.':
    'Geben Sie --issuer genau so an, wie der Anbieter ihn schreibt, bis zum Schrägstrich am Ende.',
  'Name the authority of its certificate with --ca-file, and the host as the certificate does.':
    'Nennen Sie die Zertifizierungsstelle mit --ca-file, und den Host so wie das Zertifikat.',
  'At the provider, register {url} as redirect URI of this client; check --client-id.':
    'Tragen Sie beim Anbieter {url} als Redirect-URI dieses Clients ein; prüfen Sie --client-id.',
};
