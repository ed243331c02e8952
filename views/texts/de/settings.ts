/** Settings and the pages below them, in German. */
import type { settings as english } from '../en/settings.ts';
import type { SameTexts } from '../text-form.ts';

export const settings: SameTexts<typeof english> = {
  'api.whatThesePagesDo':
    'Was diese Seiten tun, für Programme: mit einem Token für die Ressource der API dieser Konsole.',
  'api.whatMembersTakeThrough':
    'Was die Member annehmen, über diese Konsole: Welche Aufrufe ein Token öffnet, steht in seinen Scopes und Rollen.',
  'branding.savedEveryPageFrom': 'Gespeichert: Ab jetzt zeigt es jede Seite.',
  'branding.logoSet': 'Das Logo ist gesetzt.',
  'branding.logoProductShownAgain': 'Das Logo des Produkts wird wieder gezeigt.',
  'branding.logoNotChanged': 'Das Logo wurde nicht geändert. {message}',
  'keys.nextKeysSignAs': 'Die nächsten Schlüssel signieren, sobald jeder Prüfer Zeit hatte, sie zu sehen.',
  'keys.newKeysSignEverything': 'Neue Schlüssel signieren. Alles, was vorher signiert wurde, ist ungültig.',
  'keys.keysNextSignFrom':
    'Von da an signieren die nächsten Schlüssel. Was die jetzigen signiert haben, bleibt bis zu seinem Ablauf gültig.',
  'keys.nobodyDoAnythingVerifiers': 'Niemand muss etwas tun: Prüfer finden die Schlüssel im Key Set.',
  'keys.rotateKeys': 'Schlüssel rotieren',
  'keys.keysWereStolenNew': 'Für gestohlene Schlüssel: Ab jetzt signieren neue.',
  'keys.everyTokenOutVoid':
    'Jedes ausgestellte Token ist ungültig. Maschinen-Clients fordern neue an, und Anwendungen schicken Personen zur Anmeldung.',
  'keys.verifiersKeepKeySet':
    'Prüfer, die das Key Set aufbewahren, lehnen die neuen Token ab, bis sie es neu gelesen haben.',
  'keys.replaceKeys': 'Schlüssel ersetzen',
  'start.couldNotFoundOut': 'Das ließ sich jetzt nicht feststellen.',
  'start.makeTheAdministrator': 'Administrator anlegen',
  'start.somebodyWhoMayDo':
    'Jemand, der alles darf. Ein zweiter ist da, wenn der erste das Passwort verloren hat.',
  'start.thereAre': { one: 'Es gibt einen.', other: 'Es gibt {n}.' },
  'start.thereAreMore': 'Es gibt mehr als {n}.',
  'start.addAnother': 'Weiteren hinzufügen',
  'start.nameTheInstallation': 'Installation benennen',
  'start.whoSeveralConsolesSees':
    'Wer mehrere Konsolen hat, sieht in der Leiste und vor der Anmeldung, welche diese ist.',
  'start.nameProduct': 'Sie heißt wie das Produkt.',
  'start.itIsCalled': 'Sie heißt {name}.',
  'start.seeTheCluster': 'Cluster ansehen',
  'start.consoleShowsMembersFinds':
    'Die Konsole zeigt die Member, die sie findet, und sendet Aufrufe an die, die bereit sind.',
  'start.noMemberReady': 'Kein Member ist bereit.',
  'start.makeMachineClientRun': 'Maschinen-Client anlegen und seinen Aufruf ausführen',
  'start.programSecretItsOwn':
    'Ein Programm mit eigenem Secret, das eine Map lesen darf und sonst nichts. Auf seiner Seite steht der Aufruf zum Kopieren.',
  'start.gotToken': '{id} hat ein Token bekommen.',
  'start.noneYet': 'Es gibt noch keinen.',
  'start.runItsCall': 'Aufruf ausführen',
  'start.gotNoTokenYet':
    '{id} hat noch kein Token bekommen. Bekommt er eines, ist es hier binnen einer Minute zu sehen.',
  'start.connectADashboard': 'Dashboard verbinden',
  'start.applicationPeopleSignThrough':
    'Eine Anwendung, an der man sich über diese Konsole anmeldet. Auf ihrer Seite stehen die Einstellungen zum Kopieren.',
  'start.signedSomebody': '{id} hat jemanden angemeldet.',
  'start.noneSignedAnybodyYet': 'Noch keine hat jemanden angemeldet.',
  'start.connectIdentityProvider': 'Identitätsanbieter verbinden',
  'start.peopleSignAccountThey':
    'Man meldet sich mit dem Konto an, das man bei der Arbeit hat. Ein Probelauf sagt, was nicht stimmt, bevor es jemand versucht.',
  'start.isConnected': '{id} ist verbunden.',
  'start.takeABackup': 'Backup erstellen',
  'start.copyStoreDataDirectory':
    'Eine Kopie des Speichers im Datenverzeichnis: Benutzer, Clients, Schlüssel. Bewahren Sie sie auch auf einem anderen Rechner auf.',
  'about.whatRunsHereNothing':
    'Was hier läuft. Nichts auf dieser Seite ist geheim: Es hilft allen, die um Hilfe gebeten werden.',
  'about.notStartedYet': 'Noch nicht gestartet',
  'about.notRunning': 'Läuft nicht',
  'about.formatRegistryFormat': '{engine}, Format {format}; Registry, Format {registryFormat}',
  'about.lastBackup': 'Letztes Backup',
  'about.licenceDashboard': 'Lizenz des Dashboards',
  'about.until': 'bis {expiresAt}',
  'about.withoutEnd': 'unbefristet',
  'about.libraries': 'Bibliotheken',
  'about.consoleRunsFromIts':
    'Diese Konsole läuft aus ihren Quellen: Was sie verwendet, steht in package.json.',
  'about.library': 'Bibliothek',
  'about.licence': 'Lizenz',
  'api.whatProgramsMayCall':
    'Was Programme aufrufen können: die Konsole selbst und die Member dahinter. Token für beide kommen von /oauth2/token.',
  'api.installationBuiltWithoutIts': 'Diese Installation wurde ohne ihre Beschreibungen gebaut.',
  'api.openAPIDocument': 'OpenAPI-Dokument',
  'api.explorer': 'Explorer öffnen',
  'api.triedAsYou':
    'Aufrufe geschehen in Ihrem Namen und mit Ihren Rollen: Was Sie hier ändern, ist geändert und steht im Audit-Protokoll. Wo eine frische Anmeldung verlangt wird, melden Sie sich neu an und senden den Aufruf noch einmal.',
  'api.readsTriedAsYou':
    'Lesende Aufrufe geschehen in Ihrem Namen und nach Ihren Rollen, und die Antwort ist die des Members. Aufrufe, die etwas ändern, brauchen das Token eines Maschinen-Clients; für Maps, Queues und den Cluster gibt es Seiten dafür.',
  'api.explorerNeedsScript': 'Der Explorer braucht Skript. Die Seite davor listet jeden Aufruf auch ohne.',
  'api.noSuchInterface': 'Eine solche Schnittstelle gibt es nicht.',
  'api.scope': 'Scope',
  'branding.whatEverybodySeesInstallation':
    'Was alle von dieser Installation sehen: in der Leiste jeder Seite und vor der Anmeldung.',
  'branding.nameAndColour': 'Name, Farbe und Sprache',
  'branding.theyCountEveryPage': 'Sie gelten für jede Seite ab der nächsten.',
  'branding.suchAsProdEu': 'Zum Beispiel Prod-EU: bis zu 40 Zeichen. Leer: der Name des Produkts.',
  'branding.colour': 'Farbe',
  'branding.buttonsLinksSuchAs':
    'Von Schaltflächen und Links, zum Beispiel #0f5a49. Sie muss auf hellem Grund lesbar sein; für den dunklen ergibt sich eine hellere aus ihr.',
  'branding.language': 'Sprache',
  'branding.whereNobodyAsks':
    'Der Seiten, wenn jemand keine gewählt hat und der Browser keine von diesen anfordert.',
  'branding.notSaid': 'Nicht gesetzt: {language}',
  'branding.logo': 'Logo',
  'branding.pngSvgUp64':
    'Ein PNG oder SVG von bis zu 64 KiB, 32 Pixel hoch auf Weiß gezeigt. Von einem SVG bleiben nur Formen, Farben und Text: nichts, was ausgeführt wird, etwas lädt oder verlinkt.',
  'branding.logoAsNow': 'Das jetzige Logo',
  'branding.file': 'Datei',
  'branding.replaceLogo': 'Logo ersetzen',
  'branding.setLogo': 'Logo setzen',
  'branding.removeLogo': 'Logo entfernen',
  'keys.signs': 'Signiert',
  'keys.next': 'Als Nächstes',
  'keys.onlyVerifies': 'Prüft nur noch',
  'keys.tokensSignedThemEverybody':
    'Mit ihnen werden Token signiert. Ihre öffentlichen Hälften kann jeder im Key Set lesen, die privaten niemand.',
  'keys.asOauth2Jwks':
    'Wie es unter /oauth2/jwks steht. Bei einer Rotation übernehmen die nächsten Schlüssel: Sie kommt von selbst, sobald ein Schlüssel so alt ist, wie CONSOLE_KEY_ROTATION_DAYS sagt, oder wenn jemand auf „Schlüssel rotieren“ drückt.',
  'keys.noKeyYetFirst': 'Es gibt noch keinen Schlüssel: Der erste Start einer Konsole legt sie an.',
  'keys.keyId': 'Schlüssel-ID',
  'keys.algorithm': 'Algorithmus',
  'keys.keySetSince': 'Im Key Set seit',
  'keys.signsFrom': 'Signiert ab',
  'keys.signsUntil': 'Signiert bis',
  'keys.leavesKeySet': 'Verlässt das Key Set',
  'keys.nextRotation': 'Nächste Rotation',
  'keys.rotationAfter': 'Die Rotation danach',
  'keys.onceAllExpired': 'Sobald alles abgelaufen ist, was er signiert hat',
  'keys.replaceKeysOnce': 'Schlüssel sofort ersetzen',
  'settings.theyReadHereEnvironment':
    'Hier nur lesbar. Setzen Sie sie durch Umgebungsvariable, Option oder console.yaml; eine Änderung gilt ab dem nächsten Start, im Betrieb änderbare sofort.',
  'settings.search': 'Name oder Wörter der Bedeutung',
  'settings.which': 'Welche',
  'settings.changed': 'Andere als die Vorgabe',
  'settings.warned': 'Mit Warnung',
  'settings.setting': 'Einstellung',
  'settings.files': 'Konfigurationsdateien',
  'settings.filesAbout':
    'Benutzer, Rollen, Clients und Anbieter, die Dateien beschreiben. Sie werden neu gelesen, sobald sie sich ändern.',
  'settings.filesDirectory': 'Verzeichnis',
  'settings.filesUnread': 'Noch nicht gelesen',
  'settings.filesInForce': 'In Kraft',
  'settings.filesRefused': 'Abgelehnt',
  'settings.filesRead': 'Zuletzt gelesen',
  'settings.filesApplied': 'In Kraft seit',
  'settings.filesReadBy': 'Gelesen von',
  'settings.filesWrong': 'Was falsch ist',
  'settings.filesWrongIn': 'Was in {source} falsch ist',
  'settings.filesMend':
    'Was in Kraft war, bleibt. Berichtigen Sie die Datei, dann liest die Konsole sie von selbst. {command} sagt vorher, was sie ändern würde.',
  'settings.filesDiffer': 'Nicht in Kraft: die von {name}',
  'settings.filesOthers': 'Sie hat andere Dateien als die Konsole, die leitet.',
  'settings.from': 'Herkunft',
  'settings.noSetting': 'Es gibt keine Einstellung.',
  'settings.setNotShown': 'Gesetzt, nicht gezeigt',
  'settings.empty': 'Leer',
  'settings.nowhere': 'Nirgends',
  'settings.default': 'Vorgabe',
  'start.open': 'Offen',
  'start.putOff': 'Zurückgestellt',
  'start.putStepOff': 'Zurückstellen',
  'start.ofDone': '{done} von {steps} erledigt',
  'start.anyOrderLeftAny':
    'In beliebiger Reihenfolge, und jederzeit zu unterbrechen: Diese Seite stellt fest, was erledigt ist. Was Sie zurückstellen, ist in diesem Browser zurückgestellt.',
  'start.byCommand': 'Als Befehl: {command}',
  'start.takeBackup': 'Backup erstellen',
  'start.takeUpAgain': 'Wieder aufnehmen',
  'start.stepsDonePutOff':
    '{strong}: {done} von {steps} Schritten sind erledigt. {link}, oder stellen Sie zurück, was warten kann.',
  'start.goNextOne': 'Mit dem nächsten weitermachen',
  'start.backups': { one: 'Es gibt eines.', other: 'Es gibt {n}.' },
  'start.ready': { one: 'Einer ist bereit.', other: '{n} sind bereit.' },
  'start.noBackupYet': 'Es gibt noch keines.',
  'about.codeOfLibraries': {
    one: 'Code von {n} Bibliothek steckt in den Programmen. Ihr vollständiger Lizenztext steht in dist/THIRD-PARTY-NOTICES.txt der Installation.',
    other:
      'Code von diesen {n} steckt in den Programmen. Ihre vollständigen Lizenztexte stehen in dist/THIRD-PARTY-NOTICES.txt der Installation.',
  },
  'about.installation': 'Installation',
  'about.processes': 'Prozesse',
  'about.store': 'Speicher',
  'settings.changesLive': 'Sie ändert sich im Betrieb.',
};
