/** Applications, in German. */
import type { applications as english } from '../../en/access/applications.ts';
import type { SameTexts } from '../../text-form.ts';

export const applications: SameTexts<typeof english> = {
  'applications.at': 'Unter',
  'applications.rolesItGets': 'Rollen, die sie bekommt',
  'applications.noneYet':
    'Noch keine Anwendung: Fügen Sie eine für jedes Dashboard hinzu, an dem man sich anmelden soll.',
  'applications.allOfItsUsers': 'Alle ihrer Benutzer',
  'applications.learnsAll': 'Man meldet sich hier an ihr an, und sie erfährt alle Rollen der Person.',
  'applications.learnsNone': 'Man meldet sich hier an ihr an, und sie erfährt keine Rolle der Person.',
  'applications.learnsWhether': {
    one: 'Man meldet sich hier an ihr an, und sie erfährt, ob die Person die Rolle {roles} hat.',
    other: 'Man meldet sich hier an ihr an, und sie erfährt, ob die Person die Rollen {roles} hat.',
  },
  'applications.settingsToPaste': 'Einstellungen zum Kopieren',
  'applications.completeButSecrets': 'Vollständig, bis auf Secrets.',
  'applications.editAbout': 'Wird eine Redirect-URI entfernt, gilt kein Token dieser Anwendung mehr.',
  'applications.public': 'Öffentlich: Sie hat kein Secret',
  'applications.withSecret': 'Mit einem Secret',
  'applications.asksPeople': 'Fragt Personen',
  'applications.noYourOwn': 'Nein: Sie ist Ihre eigene',
  'applications.whetherLetIn': 'Ob sie ihr Zugang geben',
  'applications.lastLogout': 'Letzte Abmeldung',
  'applications.openSessions': { one: '{n} offene Sitzung', other: '{n} offene Sitzungen' },
  'applications.openSessionsAtLeast': {
    one: 'Mindestens {n} offene Sitzung',
    other: 'Mindestens {n} offene Sitzungen',
  },
  'applications.noBackChannel':
    'Sie hat keine Adresse für Back-Channel-Logout: Niemand sagt ihr, dass eine Sitzung beendet ist.',
  'applications.whetherConfirmed':
    'Ob sie das Ende der Sitzungen bestätigt hat, die in den letzten 24 Stunden geendet haben.',
  'applications.rolesHint': 'Von denen, die die Person hat, stehen diese in ihren Token.',
  'applications.consent': 'Zustimmung',
  'applications.ourOwn': 'Sie ist unsere eigene',
  'applications.notAsked': 'Personen werden nicht gefragt, ob sie ihr Zugang geben.',
  'applications.redirectUris': 'Redirect-URIs',
  'applications.redirectHint':
    'Wohin Personen zurückkommen, je Zeile eine: https, oder http an Loopback. Verglichen wird Zeichen für Zeichen.',
  'applications.afterSignOut': 'Adressen nach der Abmeldung',
  'applications.afterSignOutHint':
    'Wohin Personen nach der Abmeldung geschickt werden dürfen, je Zeile eine.',
  'applications.backChannelUri': 'URI für Back-Channel-Logout',
  'applications.backChannelHint': 'Wohin die Konsole ein Logout-Token sendet, wenn eine Sitzung endet.',
  'applications.homePage': 'Startseite',
  'applications.homePageHint': 'Die Kontoseite ihrer Benutzer führt dorthin.',
  'applications.logo': 'Logo',
  'applications.logoHint':
    'Ein Bild, https, das der Browser zeigt, wo Personen gefragt werden, ob sie die Anwendung zulassen.',
  'applications.nextPage':
    'Auf der nächsten Seite stehen ihr Secret, falls sie eines hat, und die Einstellungen zum Kopieren.',
  'applications.address': 'Adresse',
  'applications.addressHint':
    'Unter der man sie erreicht, zum Beispiel https://orders.example.com. Der Rest ergibt sich daraus.',
  'applications.madeWith': 'Gebaut mit',
  'applications.removed': 'Die Anwendung ist entfernt.',
  'applications.losesSignIns':
    '{id} meldet niemanden mehr an, und jedes vorhandene Token gilt sofort nicht mehr.',
  'applications.onlySecret': 'Es ist das einzige: {id} meldet niemanden mehr an, bis es ein anderes gibt.',
  'applications.removeApplication': 'Anwendung entfernen',
  'applications.spring': 'spring-boot-starter-oauth2-client, 3 und 4',
  'applications.browser': 'Seite in einem Browser',
  'applications.browserMeaning': 'oidc-client-ts und andere, die in der Seite laufen: kein Secret, PKCE',
  'applications.apache': 'mod_auth_openidc, vor dem, was Apache ausliefert oder wohin er weiterleitet',
  'applications.other': 'Andere',
  'applications.otherMeaning': 'alles, was OpenID Connect spricht; die Adressen werden hier eingegeben',
  'applications.anyOther': 'Jede andere',
};
