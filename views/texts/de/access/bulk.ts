/** Acts on many things of a list at once, in German. */
import type { bulk as english } from '../../en/access/bulk.ts';
import type { SameTexts } from '../../text-form.ts';

export const bulk: SameTexts<typeof english> = {
  'bulk.acts': 'Was mit dem Ausgewählten getan wird',
  'bulk.select': '{name} auswählen',
  'bulk.selectPage': 'Alle auf dieser Seite auswählen',
  'bulk.selected': '{n} ausgewählt',
  'bulk.selectFirst': 'Zeilen auswählen, dann was mit ihnen geschieht:',
  'bulk.clear': 'Auswahl aufheben',
  'bulk.all': 'Die ganze Liste',
  'bulk.allFound': 'Alles, was der Filter findet',
  'bulk.allOf': { one: 'Alle {n}', other: 'Alle {n}' },
  'bulk.nothingSelected': 'Nichts war ausgewählt, und nichts wurde getan. Wählen Sie zuerst Zeilen aus.',
  'bulk.tooManySelected': 'Nichts wurde getan: Einzeln können höchstens {most} ausgewählt werden.',
  'bulk.tooManyFound': 'Nichts wurde getan: Der Filter findet mehr als {most}. Schränken Sie ihn ein.',
  'bulk.noneFound': 'Nichts wurde getan: Der Filter findet nichts.',
  'bulk.these': 'Ausgewählt: {names}.',
  'bulk.theseAndMore': {
    one: 'Ausgewählt: {names} und {n} weitere.',
    other: 'Ausgewählt: {names} und {n} weitere.',
  },
  'bulk.whole': {
    one: 'Die ganze Liste: {n}. Sind es bis dahin mehr, geschieht nichts.',
    other: 'Die ganze Liste: {n}. Sind es bis dahin mehr, geschieht nichts.',
  },
  'bulk.found': {
    one: 'Alles, was der Filter jetzt findet: {n}. Findet er bis dahin mehr, geschieht nichts.',
    other: 'Alles, was der Filter jetzt findet: {n}. Findet er bis dahin mehr, geschieht nichts.',
  },
  'bulk.each': 'Jedes für sich: Was abgelehnt wird, hält kein anderes auf, und das Ergebnis sagt, warum.',
  'bulk.ownAccount':
    'Vorsicht: Ihr eigenes Konto ist darunter. Es wird abgelehnt: Das muss jemand anderes tun.',
  'bulk.ownSessions':
    'Vorsicht: Ihr eigenes Konto ist darunter. Auch Sie werden abgemeldet und melden sich neu an.',
  'bulk.ownSession':
    'Vorsicht: Ihre Sitzung in diesem Browser ist darunter. Sie werden hier abgemeldet und melden sich neu an.',
  'bulk.typed': '{n} entfernen',
  'bulk.disableUsers': { one: '{n} Benutzer deaktivieren', other: '{n} Benutzer deaktivieren' },
  'bulk.enableUsers': { one: '{n} Benutzer aktivieren', other: '{n} Benutzer aktivieren' },
  'bulk.endUserSessions': {
    one: 'Alle Sitzungen von {n} Benutzer beenden',
    other: 'Alle Sitzungen von {n} Benutzern beenden',
  },
  'bulk.removeUsers': { one: '{n} Benutzer entfernen', other: '{n} Benutzer entfernen' },
  'bulk.disableClients': {
    one: '{n} Maschinen-Client deaktivieren',
    other: '{n} Maschinen-Clients deaktivieren',
  },
  'bulk.enableClients': { one: '{n} Maschinen-Client aktivieren', other: '{n} Maschinen-Clients aktivieren' },
  'bulk.removeClients': { one: '{n} Maschinen-Client entfernen', other: '{n} Maschinen-Clients entfernen' },
  'bulk.disableApplications': { one: '{n} Anwendung deaktivieren', other: '{n} Anwendungen deaktivieren' },
  'bulk.enableApplications': { one: '{n} Anwendung aktivieren', other: '{n} Anwendungen aktivieren' },
  'bulk.removeApplications': { one: '{n} Anwendung entfernen', other: '{n} Anwendungen entfernen' },
  'bulk.removeRoles': { one: '{n} Rolle entfernen', other: '{n} Rollen entfernen' },
  'bulk.endSessions': { one: '{n} Sitzung beenden', other: '{n} Sitzungen beenden' },
  'bulk.usersCannotSignIn':
    'Sie können sich nicht anmelden, bis sie wieder aktiviert sind; ihre Sitzungen und Token enden.',
  'bulk.usersCanSignIn': 'Sie können sich wieder anmelden.',
  'bulk.usersSignedOut':
    'Sie werden von dieser Konsole und von jeder Anwendung abgemeldet und müssen sich neu anmelden. Ihre Token gelten nicht mehr.',
  'bulk.usersGone': 'Sie werden überall abgemeldet und können sich nicht mehr anmelden.',
  'bulk.clientsRefused':
    'Sie bekommen keine Token, bis sie wieder aktiviert sind; die, die sie haben, werden abgelehnt.',
  'bulk.clientsWork': 'Sie bekommen neue Token.',
  'bulk.clientsGone': 'Sie bekommen keine Token mehr, und jedes, das sie haben, gilt sofort nicht mehr.',
  'bulk.applicationsRefused':
    'Niemand meldet sich bei ihnen an, bis sie wieder aktiviert sind; Token, die sie haben, werden abgelehnt.',
  'bulk.applicationsWork': 'Man kann sich wieder bei ihnen anmelden.',
  'bulk.applicationsGone':
    'Niemand meldet sich mehr bei ihnen an, und jedes Token, das sie haben, gilt nicht mehr.',
  'bulk.rolesGone': 'Sie werden allen genommen, die sie haben; deren Sitzungen enden.',
  'bulk.sessionsEnd':
    'Diese Personen werden dort abgemeldet, und von den Anwendungen, zu denen sie von dort kamen.',
  'bulk.outcome': 'Ergebnis',
  'bulk.job': 'Zum Job',
  'bulk.begun': 'Es hat begonnen und läuft weiter, wenn diese Seite geschlossen wird.',
  'bulk.running': { one: 'Es läuft: {done} von {n} erledigt.', other: 'Es läuft: {done} von {n} erledigt.' },
  'bulk.done': { one: '{n} erledigt.', other: '{n} erledigt.' },
  'bulk.undoAbout': {
    one: 'Geändert wurde eines: Das lässt sich rückgängig machen, solange es niemand anders ändert.',
    other:
      'Geändert wurden {n}: Das lässt sich rückgängig machen, außer bei denen, die vorher jemand ändert.',
  },
  'bulk.undone': 'Rückgängig gemacht: Das kam dabei heraus',
  'bulk.waiting': {
    one: '{n} wartet auf einen zweiten Administrator.',
    other: '{n} warten auf einen zweiten Administrator.',
  },
  'bulk.failed': { one: '{n} wurde abgelehnt:', other: '{n} wurden abgelehnt:' },
  'bulk.left': { one: '{n} kam nicht an die Reihe.', other: '{n} kamen nicht an die Reihe.' },
  'bulk.allFailures': 'Alles, was abgelehnt wurde, im Audit-Protokoll',
  'bulk.acting': 'eins nach dem anderen',
  'bulk.finding': 'sucht sie',
  'bulk.things': { one: '{done} Objekt', other: '{done} Objekte' },
};
