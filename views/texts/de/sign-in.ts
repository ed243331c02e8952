/** What pages say to people without rights, in German. */
import type { signIn as english } from '../en/sign-in.ts';
import type { SameTexts } from '../text-form.ts';

export const signIn: SameTexts<typeof english> = {
  'page.problem': 'Problem: {title}',
  'page.banner':
    'Eine Tür zum Cluster: für die Menschen, die ihn betreiben, und die Maschinen, die ihn nutzen.',
  'page.skip': 'Zum Inhalt springen',
  'page.languages': 'Sprache',
  'field.optional': 'optional',
  'field.username': 'Benutzername',
  'field.password': 'Passwort',
  'field.passwordAgain': 'Passwort bestätigen',
  'field.email': 'E-Mail',
  'field.newPasswordHint': {
    one: 'Mindestens {n} Zeichen, beliebige. Ein kurzer Satz ist leicht zu merken und schwer zu erraten.',
    other: 'Mindestens {n} Zeichen, beliebige. Ein kurzer Satz ist leicht zu merken und schwer zu erraten.',
  },
  'act.signIn': 'Anmelden',
  'act.signOut': 'Abmelden',
  'act.cancel': 'Abbrechen',
  'act.confirm': 'Bestätigen',
  'act.continue': 'Weiter',
  'act.allow': 'Erlauben',
  'act.deny': 'Ablehnen',
  'ownAddress.where':
    'Diese Konsole ist unter {address} zu finden. Zeigt Ihr Browser eine andere Adresse, öffnen Sie sie dort: Nur dort wird dieses Formular angenommen.',

  'login.confirmTitle': 'Bestätigen Sie, dass Sie es sind',
  'login.tooMany': 'Zu viele Versuche.',
  'login.retryInSeconds': {
    one: 'Versuchen Sie es in einer Sekunde wieder.',
    other: 'Versuchen Sie es in {n} Sekunden wieder.',
  },
  'login.retryInMinutes': {
    one: 'Versuchen Sie es in einer Minute wieder.',
    other: 'Versuchen Sie es in {n} Minuten wieder.',
  },
  'login.reference': '{code}, Anfrage {request}',
  'login.keptElsewhere': 'Sie sind als {name} angemeldet, und Ihr Passwort liegt anderswo.',
  'login.with': 'Mit {name} anmelden',
  'login.orWith': 'Oder anmelden mit',
  'login.account': 'Mit Ihrem Konto bei dieser Konsole.',
  'login.accountOr': 'Mit Ihrem Konto bei dieser Konsole oder bei {others}.',
  'login.orAt': ' oder bei ',
  'login.asks': 'Melden Sie sich an, um mit {application} fortzufahren.',
  'login.asksPassword': '{application} fragt noch einmal nach Ihrem Passwort.',
  'login.asksAgain': '{application} bittet Sie, sich noch einmal anzumelden.',
  'login.again': 'Geben Sie Ihr Passwort ein, um fortzufahren.',

  'notSetUp.title': 'Noch nicht eingerichtet',
  'notSetUp.about':
    'Diese Konsole hat keinen Administrator, also kann sich niemand anmelden. Beim Start gibt sie einen Link aus, mit dem der erste angelegt wird:',
  'notSetUp.where':
    'Sie finden ihn dort, wo die Konsole gestartet wurde: im Terminal oder in der Ausgabe, die der Dienstverwalter oder der Container aufhebt. Jeder Start gibt einen neuen Link aus. Oder legen Sie den Administrator auf jenem Rechner an:',

  'setup.title': 'Den ersten Administrator anlegen',
  'setup.about':
    'Noch kann sich niemand anmelden. Dieses Konto darf hier alles; die anderen kann es später hinzufügen.',
  'setup.create': 'Administrator anlegen',

  'invitation.title': 'Wählen Sie Ihr Passwort',
  'invitation.about': 'Ein Administrator hat diesen Link für Sie gemacht. Er gilt einmal.',
  'invitation.set': 'Passwort setzen',
  'invitation.doneTitle': 'Ihr Passwort ist gesetzt',
  'invitation.done': 'Melden Sie sich damit als {name} an. Der Link gilt nicht mehr.',

  'consent.title': '{application} die Nutzung Ihres Kontos erlauben?',
  'consent.asks': 'Sie sind als {name} angemeldet. Die Anwendung unter {origin} bittet um:',
  'consent.asksById':
    'Sie sind als {name} angemeldet. Die Anwendung unter {origin}, hier eingetragen als {id}, bittet um:',
  'consent.nothing': 'Nicht mehr als zu wissen, dass Sie angemeldet sind.',
  'consent.new': 'Neu',
  'consent.reachNothing':
    'Keine Ihrer Rollen geht mit: In Ihrem Namen kann sie weder hier noch an den Membern etwas tun.',
  'consent.reachMembers': 'So kann sie an den Membern des Clusters handeln, nicht aber hier.',
  'consent.reachConsole': 'So kann sie an der Verwaltung dieser Konsole handeln, nicht aber an den Membern.',
  'consent.back': 'In beiden Fällen geht es zurück zu {origin}.',

  'logout.title': 'Abmelden?',
  'logout.asks': '{application} möchte Sie abmelden.',
  'logout.name': 'Sie sind als {name} angemeldet.',
  'logout.about':
    'Das Abmelden beendet diese Sitzung in der Konsole und in jeder Anwendung, die Sie damit geöffnet haben.',
  'logout.stay': 'Angemeldet bleiben',

  'loggedOut.title': 'Sie sind abgemeldet',
  'loggedOut.over':
    'Diese Sitzung ist beendet. Schließen Sie an einem gemeinsam genutzten Rechner auch das Fenster.',
  'loggedOut.partly':
    'Diese Sitzung ist hier beendet. Einige der Anwendungen, die Sie damit geöffnet haben, haben noch nicht bestätigt, dass sie auch dort beendet ist.',
  'loggedOut.check': 'Sie können diese Seite schließen oder {check}.',
  'loggedOut.checkAgain': 'noch einmal nachsehen',
  'loggedOut.back': 'Zurück zu {application}',
  'loggedOut.signInAgain': 'Wieder anmelden',
  'loggedOut.frame': 'Abmeldung einer Anwendung',
  'loggedOut.applications': 'Anwendungen dieser Sitzung',
  'loggedOut.providerDone': 'Auch bei {provider} sind Sie abgemeldet.',
  'loggedOut.providerNext':
    'Sie hatten sich über {provider} angemeldet und werden nun auch dort abgemeldet. Bis dahin ist Ihre Sitzung dort offen.',
  'loggedOut.providerOpen':
    'Sie hatten sich über {provider} angemeldet, und Ihre Sitzung dort ist vielleicht noch offen: {name} hat ihr Ende nicht bestätigt. Melden Sie sich an einem gemeinsam genutzten Rechner auch dort ab.',
  'loggedOut.providerAt': 'Bei {provider} abmelden',
  'loggedOut.providerError':
    'Hat {provider} einen Fehler gezeigt, wird dort noch einmal gefragt, und Sie müssen vielleicht bestätigen.',
  'outcome.confirmed': 'Abgemeldet',
  'outcome.asked': 'Benachrichtigt',
  'outcome.askedMeaning': 'Von dieser Seite, in diesem Browser.',
  'outcome.waiting': 'Ausstehend',
  'outcome.waitingMeaning': 'Die Konsole benachrichtigt sie weiter.',
  'outcome.failed': 'Nicht bestätigt',
  'outcome.failedMeaning': 'Sie hat nicht geantwortet. Melden Sie sich sicherheitshalber auch dort ab.',

  'step.title': 'Weiter zu {provider}',
  'step.signIn': 'Sie melden sich bei {provider} an; dort wird ein Formular erwartet.',
  'step.signOut': 'Hier sind Sie abgemeldet. {provider} muss es von Ihrem Browser erfahren.',
  'step.goOn': 'Weiter zu {provider}',

  'device.title': 'Ein Programm anmelden',
  'device.about': 'Ein Programm ohne eigenen Browser zeigt Ihnen einen Code aus acht Buchstaben.',
  'device.code': 'Code',
  'device.hint': 'Nur, wenn Sie das Programm selbst gestartet haben und es diesen Code jetzt zeigt.',
  'device.acts': 'Es handelt an der Verwaltung dieser Konsole als {name}, mit allen Rollen dieses Kontos.',
  'device.nextAccount': 'das Konto, mit dem Sie sich als Nächstes anmelden',
  'device.shows': 'Das Programm zeigt den Code',
  'device.from': 'Gefragt wurde von',
  'device.warning':
    'Lehnen Sie ab, wenn jemand anders Sie hierher geschickt hat oder der Code ein anderer ist.',
  'device.allowedTitle': 'Das Programm ist angemeldet',
  'device.deniedTitle': 'Das Programm wurde nicht angemeldet',
  'device.allowed':
    'Es macht in wenigen Sekunden von selbst weiter. Es bleibt so lange angemeldet wie Ihre Sitzung hier; das Abmelden beendet beides.',
  'device.denied': 'Es hat nichts bekommen.',
  'device.close': 'Sie können diese Seite schließen.',

  'error.goOn': 'Weiter',
  'error.again': 'Noch einmal versuchen',
  'error.membersAway':
    'Unter Member sehen Sie, welches weg oder nicht bereit ist, und warum. Sobald eines antwortet, geht dasselbe wieder.',
  'error.home': 'Zur Startseite',
  'error.back': 'Zurück',
  'error.backTo': 'Zurück: {page}',
  'error.unread': 'Es wurde nichts geändert.',
  'error.status': 'Status',
  'error.code': 'Code',
  'error.request': 'Anfrage',
};
