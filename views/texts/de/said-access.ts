/** Why a call goes through or not, and what opens it, in German: explanations that the API and commands give too. */
export const saidOfAccessInGerman: Readonly<Record<string, string>> = {
  // What a caller was told.
  'This call needs the scope {scope} or a role that includes it':
    'Dieser Aufruf braucht den Scope {scope} oder eine Rolle, die ihn einschließt',
  'There is no such member endpoint': 'Einen solchen Endpunkt der Member gibt es nicht',
  'Only {methods} are known here': 'Hier gibt es nur {methods}',
  'Your roles open none of these pages. An administrator can give you one that does.':
    'Ihre Rollen öffnen keine dieser Seiten. Ein Administrator kann Ihnen eine geben, die es tut.',
  'There is no entry of this id, or not any more.':
    'Einen Eintrag mit dieser ID gibt es nicht oder nicht mehr.',
  'No entry has this id.': 'Kein Eintrag hat diese ID.',
  // Why it is so.
  '{said}. No token opens it.': '{said}. Kein Token öffnet das.',
  'No rule names this path, and what no rule names is not forwarded.':
    'Keine Regel nennt diesen Pfad, und was keine Regel nennt, wird nicht weitergeleitet.',
  'This path has rules for {methods} only.': 'Dieser Pfad hat nur Regeln für {methods}.',
  'The call needs {permission}, and the caller has it.':
    'Der Aufruf braucht {permission}, und der Aufrufer hat es.',
  'The call needs {permission}, and nothing that the caller has includes it.':
    'Der Aufruf braucht {permission}, und nichts, was der Aufrufer hat, schließt es ein.',
  '{permission} or svc:{kind}:<name>:{action}': '{permission} oder svc:{kind}:<name>:{action}',
  // What opens it.
  'None: with these roles and scopes the call would be let through now.':
    'Nichts: Mit diesen Rollen und Scopes käme der Aufruf jetzt durch.',
  'Name a member that is there: GET /svc/rest/cluster lists them.':
    'Nennen Sie ein Member, das da ist: GET /svc/rest/cluster listet sie auf.',
  'What the caller was told: {reason}.': 'Was dem Aufrufer gesagt wurde: {reason}.',
  'Ask for the token without a scope: {client} is an administrator then. For less than that, take a client of its own with the scope {scope}.':
    'Fordern Sie das Token ohne Scope an: {client} ist dann Administrator. Für weniger nehmen Sie einen eigenen Client mit dem Scope {scope}.',
  'Ask for the scope {scope} with the token: the client {client} is registered for it.':
    'Fordern Sie mit dem Token den Scope {scope} an: Der Client {client} ist dafür eingetragen.',
  'Take a client that is registered for the scope {scope}.':
    'Nehmen Sie einen Client, der für den Scope {scope} eingetragen ist.',
  'Let the client ask for it too, and ask for the scope {scope} with the token.':
    'Lassen Sie den Client auch das anfordern, und fordern Sie mit dem Token den Scope {scope} an.',
  'Let the application {client} ask for the scope profile, and for no role scope or one that is enough: its user has the role.':
    'Lassen Sie die Anwendung {client} den Scope profile anfordern und keinen Rollen-Scope oder einen, der reicht: Ihr Benutzer hat die Rolle.',
  'Let the application {client} have the role {role} of its user.':
    'Geben Sie der Anwendung {client} die Rolle {role} ihres Benutzers.',
  'Give the user a role that opens it ({roles}), or one of your own with the scope {scope}.':
    'Geben Sie dem Benutzer eine Rolle, die es öffnet ({roles}), oder eine eigene mit dem Scope {scope}.',
  'Send the request in one go: a head has 10 seconds to arrive, and a body may be silent for 30.':
    'Senden Sie die Anfrage in einem Zug: Ein Kopf hat 10 Sekunden, um anzukommen, und ein Body darf 30 Sekunden stocken.',
  'Send fewer or shorter header fields: 16 KiB of them are read.':
    'Senden Sie weniger oder kürzere Header-Felder: 16 KiB davon werden gelesen.',
  'Call a shorter address: 8 KiB of it are read.':
    'Rufen Sie eine kürzere Adresse auf: 8 KiB davon werden gelesen.',
  'Keep connections open and use them again, and call again after a second.':
    'Halten Sie Verbindungen offen und nutzen Sie sie wieder, und rufen Sie nach einer Sekunde noch einmal auf.',
  'Send an access token in the field Authorization: Bearer.':
    'Senden Sie ein Access-Token im Feld Authorization: Bearer.',
  'Get a new access token: this one is expired, revoked, or not of this console.':
    'Holen Sie ein neues Access-Token: Dieses ist abgelaufen, widerrufen oder nicht von dieser Konsole.',
  'Call a path of the table in docs/proxy.md: no rule names this one, and no token opens it.':
    'Rufen Sie einen Pfad der Tabelle in docs/proxy.md auf: Keine Regel nennt diesen, und kein Token öffnet ihn.',
  'Use a method that the path has.': 'Nutzen Sie eine Methode, die der Pfad hat.',
  'Wait as Retry-After says, or raise the limit in the settings.':
    'Warten Sie, wie Retry-After es sagt, oder heben Sie die Grenze in den Einstellungen an.',
  'Turn the endpoint group on in the configuration of the member, and restart it.':
    'Schalten Sie die Endpunktgruppe in der Konfiguration des Members ein, und starten Sie es neu.',
  'Start a member, or set CONSOLE_MEMBERS to where they are.':
    'Starten Sie ein Member, oder setzen Sie CONSOLE_MEMBERS auf die Adressen der Member.',
};
