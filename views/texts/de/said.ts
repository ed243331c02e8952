import { saidByOperationsInGerman } from './access/said.ts';
import { saidByChecksInGerman } from './api/said-checks.ts';
import { saidOfFilesInGerman } from './api/said-files.ts';
import { saidOfAccessInGerman } from './said-access.ts';
import { saidOfClusterInGerman } from './said-cluster.ts';
import { saidOfHealthInGerman } from './said-health.ts';
import { saidOfNetworkInGerman } from './said-network.ts';
import { saidOfSettingsInGerman } from './said-settings.ts';

/**
 * Sentences that the console says elsewhere too (in answers of the API, to programs), in German. Those of problems come to a
 * page in English; what is not here stays so, and is marked as English.
 */
export const saidInGerman: Readonly<Record<string, string>> = {
  ...saidOfClusterInGerman,
  ...saidOfHealthInGerman,
  ...saidOfNetworkInGerman,
  ...saidOfSettingsInGerman,
  // What problems are called.
  'The request is not well formed': 'Die Anfrage ist nicht wohlgeformt',
  'The password is too weak': 'Das Passwort ist zu schwach',
  'A recent sign-in is needed': 'Eine frische Anmeldung ist nötig',
  'The identity provider did not sign you in': 'Der Identitätsanbieter hat Sie nicht angemeldet',
  'This is not allowed': 'Das ist nicht erlaubt',
  'The form did not come from this browser': 'Das Formular kam nicht aus diesem Browser',
  'The access token does not open this': 'Ihre Rollen öffnen das nicht',
  'Your roles do not open this': 'Ihre Rollen öffnen das nicht',
  'There is nothing at this address': 'Unter dieser Adresse ist nichts',
  'This address does not know the method': 'Diese Adresse kennt die Methode nicht',
  'This collides with what is already there': 'Das verträgt sich nicht mit dem, was schon da ist',
  'There is one of this name already': 'Diesen Namen gibt es schon',
  'This has changed meanwhile': 'Das hat sich inzwischen geändert',
  'The body is too large': 'Die Anfrage ist zu groß',
  'The body is too large.': 'Die Anfrage ist zu groß.',
  'The field {name} is not text in UTF-8.': 'Das Feld {name} ist kein Text in UTF-8.',
  'Too many requests': 'Zu viele Anfragen',
  'Something went wrong here': 'Hier ist etwas schiefgegangen',
  'The server is busy': 'Der Server ist ausgelastet',
  'The store cannot be written': 'Der Speicher kann nicht geschrieben werden',
  'The audit cannot be written': 'Das Audit-Protokoll kann nicht geschrieben werden',
  'An access token is needed': 'Eine Anmeldung ist nötig',
  'This sign-in is over': 'Diese Anmeldung ist vorbei',
  // What was wrong.
  'There is no page {path}.': 'Es gibt keine Seite {path}.',
  'Use another method.': 'Nutzen Sie eine andere Methode.',
  'It is logged under the request id below.': 'Im Log steht es unter der Nummer der Anfrage.',
  'Nothing was changed. Try again shortly.': 'Es wurde nichts geändert. Versuchen Sie es gleich noch einmal.',
  'It took too long, was finished in another tab, or was started in another browser. Start it again from the application.':
    'Sie hat zu lange gedauert, wurde in einem anderen Tab beendet oder in einem anderen Browser begonnen. Beginnen Sie in der Anwendung von vorn.',
  'It took too long, or was finished in another tab. Start it again from the application.':
    'Sie hat zu lange gedauert oder wurde in einem anderen Tab beendet. Beginnen Sie in der Anwendung von vorn.',
  'This sign-in was started in another browser or tab.':
    'Diese Anmeldung wurde in einem anderen Browser oder Tab begonnen.',
  'No consent is asked for.': 'Es wird um keine Zustimmung gebeten.',
  'The form is too old, or cookies are switched off. Open the page anew and try again.':
    'Das Formular ist zu alt, oder Cookies sind abgeschaltet. Öffnen Sie die Seite neu und versuchen Sie es noch einmal.',
  'The form came from another site.': 'Das Formular kam von einer anderen Website.',
  'Open this console at {origin} and send the form from there.':
    'Öffnen Sie diese Konsole unter {origin} und senden Sie das Formular von dort.',
  'The user name or the password is not right.': 'Der Benutzername oder das Passwort stimmt nicht.',
  'The user name or the password is too long.': 'Der Benutzername oder das Passwort ist zu lang.',
  'Too many failed attempts.': 'Zu viele Fehlversuche.',
  'Too many sign-ins at this moment.': 'Im Augenblick melden sich zu viele an.',
  'Too many sign-ins from your network at once.': 'Aus Ihrem Netz melden sich zu viele gleichzeitig an.',
  'The two passwords are not the same.': 'Die beiden Passwörter sind nicht gleich.',
  'The first administrator has been made: sign in instead.':
    'Der erste Administrator ist angelegt: Melden Sie sich an.',
  'This is not the set-up link of this start. The newest one is in the output of the running console.':
    'Das ist nicht der Einrichtungslink dieses Starts. Der neueste steht in der Ausgabe der laufenden Konsole.',
  'This is not an e-mail address.': 'Das ist keine E-Mail-Adresse.',
  'A user name has 1 to 64 letters, digits and the characters . _ @ -, and starts with a letter or a digit.':
    'Ein Benutzername hat 1 bis 64 Buchstaben, Ziffern und die Zeichen . _ @ - und beginnt mit einem Buchstaben oder einer Ziffer.',
  'A user name is written in one script: letters of several look alike.':
    'Ein Benutzername steht in einer Schrift: Buchstaben mehrerer Schriften sehen einander ähnlich.',
  'This link does not count, or not any more: it has been used, it is too old, or there is a newer one. Ask who gave it to you for another.':
    'Dieser Link gilt nicht oder nicht mehr: Er wurde benutzt, ist zu alt, oder es gibt einen neueren. Bitten Sie um einen neuen.',
  'Type the code that the program shows.': 'Geben Sie den Code ein, den das Programm zeigt.',
  'There is no such code. Compare it with what the program shows.':
    'Diesen Code gibt es nicht. Vergleichen Sie ihn mit dem, den das Programm zeigt.',
  'This code has expired. Start anew in the program.':
    'Dieser Code ist abgelaufen. Beginnen Sie im Programm von vorn.',
  'This code has been used already. Start anew in the program.':
    'Dieser Code wurde schon benutzt. Beginnen Sie im Programm von vorn.',
  'Something went wrong. Type the code once more.':
    'Etwas ist schiefgegangen. Geben Sie den Code noch einmal ein.',
  'There is no identity provider at this address, or it is switched off.':
    'Unter dieser Adresse gibt es keinen Identitätsanbieter, oder er ist abgeschaltet.',
  'Your identity provider knows you, but no rule of this console gives you a role. Ask an administrator.':
    'Ihr Identitätsanbieter kennt Sie, aber keine Regel dieser Konsole gibt Ihnen eine Rolle. Fragen Sie einen Administrator.',
  'This sign-in is not under way in this browser: it took longer than ten minutes, was used already, or was started elsewhere. Please sign in again.':
    'Diese Anmeldung läuft in diesem Browser nicht: Sie hat länger als zehn Minuten gedauert, wurde schon benutzt oder anderswo begonnen. Bitte melden Sie sich noch einmal an.',
  'The id_token_hint is not valid.': 'Der id_token_hint ist nicht gültig.',
  'Your roles open none of the steps. An administrator can give you one that does.':
    'Ihre Rollen öffnen keinen der Schritte. Ein Administrator kann Ihnen eine geben, die es tut.',
  'Your roles open none of these pages. An administrator can give you one that does.':
    'Ihre Rollen öffnen keine dieser Seiten. Ein Administrator kann Ihnen eine geben, die es tut.',
  // What applications ask for.
  'Know that it is you who signs in.': 'Zu wissen, dass Sie es sind, der sich anmeldet.',
  'See your user name, and which of your roles go along.':
    'Ihren Benutzernamen zu sehen und welche Ihrer Rollen mitgehen.',
  'See your e-mail address.': 'Ihre E-Mail-Adresse zu sehen.',
  'Stay signed in while you are away, until your session here ends.':
    'Angemeldet zu bleiben, während Sie weg sind, bis Ihre Sitzung hier endet.',
  'Act as a Viewer. {meaning}': 'Als Viewer zu handeln. {meaning}',
  'Act as a MetricsViewer. {meaning}': 'Als MetricsViewer zu handeln. {meaning}',
  'Act with your role {role}. {meaning}': 'Mit Ihrer Rolle {role} zu handeln. {meaning}',
  'Reads and changes everything, on the cluster and here.': 'Liest und ändert alles, am Cluster und hier.',
  'Reads cluster information, health, map values, queue sizes and the state of CP and WAN.':
    'Liest Angaben zum Cluster, seine Gesundheit, Werte der Maps, Größen der Queues und den Zustand von CP und WAN.',
  'Reads cluster information, health, map values, queue sizes and the state of CP and WAN; on the pages of this console the audit log and jobs too.':
    'Liest Angaben zum Cluster, seine Gesundheit, Werte der Maps, Größen der Queues und den Zustand von CP und WAN; auf den Seiten dieser Konsole auch das Audit-Protokoll und die Jobs.',
  'Reads cluster information and health.': 'Liest Angaben zum Cluster und seine Gesundheit.',
  ...saidOfAccessInGerman,
  ...saidByOperationsInGerman,
  // The widest patterns come last.
  ...saidByChecksInGerman,
  // With gaps for whatever begins a sentence: others are looked for before.
  ...saidOfFilesInGerman,
};
