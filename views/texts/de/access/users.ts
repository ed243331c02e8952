/** Users, in German. */
import type { users as english } from '../../en/access/users.ts';
import type { SameTexts } from '../../text-form.ts';

export const users: SameTexts<typeof english> = {
  'users.inviteUser': 'Benutzer einladen',
  'users.personInvited':
    'Die Person wird eingeladen: Auf der nächsten Seite steht ein Link, über den sie ein Passwort wählt.',
  'users.userName': 'Benutzername',
  'users.nameOrAddress':
    'Mit ihm meldet sich die Person an: ein Name oder ihre E-Mail-Adresse. Groß- und Kleinschreibung zählt nicht.',
  'users.inFull': 'Der vollständige Name, wie man ihn liest.',
  'users.nothingSentThere': 'Dorthin wird nichts gesendet.',
  'users.signsInWith': 'Anmeldung über',
  'users.noUsersYet': 'Noch keine Benutzer.',
  'users.forWhat': 'Wer sich hier anmeldet, hat ein Konto, und dessen Rollen sagen, was die Person darf.',
  'users.noRole': 'Keine Rolle',
  'users.active': 'Aktiv',
  'users.invited': 'Eingeladen',
  'users.locked': 'Gesperrt',
  'users.mayCall': 'Aufrufe an die Member',
  'users.eligibleRoles': 'Rollen auf Zeit',
  'users.eligibleHint':
    'Die Person nimmt eine, wenn sie gebraucht wird, höchstens eine Stunde und mit einem Grund.',
  'users.mayTake': 'Darf auf Zeit nehmen',
  'users.hasForWhile': 'Hat auf Zeit',
  'users.roleUntil': '{role}, endet {when}: {reason}',
  'users.endElevation': 'Beenden{ofWhich}',
  'users.endElevationOf': '{role} von {id} beenden',
  'users.endElevationEffect': '{id} hat die Rolle {role} nicht mehr und wird überall abgemeldet.',
  'users.endElevationButton': 'Rolle beenden',
  'users.elevationEnded': 'Die Rolle ist beendet, mit allen Sitzungen und Token.',
  'users.mayCallNothing': 'Keiner steht offen.',
  'users.notSignedIn': 'Keine offene Sitzung',
  'users.sessionsLatest': '{open}, zuletzt benutzt {ago}',
  'users.subject': 'Subject',
  'users.whetherConfirmed':
    'Ob Anwendungen das Ende der Sitzungen bestätigt haben, die in den letzten 24 Stunden geendet haben.',
  'users.linkToChoose': 'Link zur Wahl eines Passworts',
  'users.giveItAlone':
    'Geben Sie ihn nur der Person selbst: Wer ihn hat, wählt das Passwort, einmal. Er wird hier einmal gezeigt und gilt bis {until}.',
  'users.hasNoRole': 'Hat keine Rolle und darf deshalb nichts',
  'users.hasRoles': { one: 'Hat die Rolle {roles}', other: 'Hat die Rollen {roles}' },
  'users.cannotSignIn': '{may}; kann sich nicht anmelden.',
  'users.noPasswordYet': '{may}; hat noch kein Passwort gewählt.',
  'users.tooManyTried':
    '{may}; nach zu vielen falschen Passwörtern vorerst gesperrt. Die Sperre endet von selbst.',
  'users.makeInvitationLink': 'Einladungslink erstellen',
  'users.changeOfRoles': 'Eine Änderung der Rollen beendet, was diesem Benutzer vorher ausgestellt wurde.',
  'users.endEverything': 'Alles beenden',
  'users.endAllSessions': 'Alle Sitzungen beenden',
  'users.resetPassword': 'Passwort zurücksetzen',
  'users.disabledAllEnded': 'Deaktiviert: Alle Sitzungen und alle Token sind beendet.',
  'users.enabledAgain': 'Aktiviert: Die Person kann sich wieder anmelden.',
  'users.allSessionsEnded': 'Alle Sitzungen sind beendet.',
  'users.everythingEnded':
    'Alles ist beendet: Sitzungen, Token und wartende Aufrufe. Mit diesem Konto meldet sich niemand an.',
  'users.nameOrEmail': 'Name oder E-Mail',
  'users.userRemoved': 'Der Benutzer ist entfernt.',
  'users.endEverythingOf': 'Alles von {id} beenden',
  'users.cannotSignInUntil': '{id} kann sich nicht mehr anmelden, bis das Konto wieder aktiviert wird.',
  'users.allEndAndCalls': 'Alle Sitzungen enden, kein Token gilt mehr, und wartende Aufrufe werden beendet.',
  'users.eachApplicationTold':
    'Jede Anwendung wird benachrichtigt; auf der nächsten Seite steht, was jede geantwortet hat.',
  'users.endAllSessionsOf': 'Alle Sitzungen von {id} beenden',
  'users.signedOutOfAll':
    '{id} wird an dieser Konsole und an jeder Anwendung abgemeldet und muss sich neu anmelden.',
  'users.everyTokenStops': 'Kein Token, das diesem Benutzer bisher ausgestellt wurde, gilt mehr.',
  'users.endSessions': 'Sitzungen beenden',
  'users.resetPasswordOf': 'Passwort von {id} zurücksetzen',
  'users.passwordStops': 'Das Passwort von {id} gilt nicht mehr, und alle Sitzungen enden.',
  'users.nextPageHasLink': 'Auf der nächsten Seite steht ein Link, über den die Person ein neues wählt.',
  'users.removeNamed': '{id} entfernen',
  'users.signedOutEverywhere': '{id} wird überall abgemeldet und kann sich nicht mehr anmelden.',
  'users.sameNameSomebodyElse':
    'Das lässt sich nicht rückgängig machen: Wer unter demselben Namen hinzugefügt wird, ist für jede Anwendung jemand anders.',
  'users.removeUser': 'Benutzer entfernen',
  'users.noneOpenNow': 'Zurzeit ist keine Sitzung offen.',
  'users.openNow': { one: 'Zurzeit ist eine Sitzung offen.', other: 'Zurzeit sind {n} Sitzungen offen.' },
  'users.openNowAtLeast': {
    one: 'Zurzeit ist mindestens eine Sitzung offen.',
    other: 'Zurzeit sind mindestens {n} Sitzungen offen.',
  },
  'users.signedInTo': {
    one: 'An einer Anwendung ist der Benutzer angemeldet: {applications}.',
    other: 'An {n} Anwendungen ist der Benutzer angemeldet: {applications}.',
  },
  'users.signsYouOut': 'Vorsicht: Das ist Ihr eigenes Konto. Auch Sie werden abgemeldet.',
  'users.ownAccountStops': 'Das ist Ihr eigenes Konto: Ein anderer Administrator muss das tun.',
  'users.lastAdministratorStops':
    'Das ist der letzte Administrator: Ohne dieses Konto könnte niemand mehr die Konsole verwalten. Legen Sie zuerst einen weiteren an.',
};
