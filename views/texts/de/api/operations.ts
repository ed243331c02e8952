/** What operations of the admin API do, in German, by their ids: their descriptions are in English, for programs and whoever writes them. */
export const operationsInGerman: Readonly<Record<string, string>> = {
  // Access.
  explainAccess:
    'Erklärt eine Ablehnung anhand ihrer Entscheidungs-ID oder einen Aufruf, der nicht stattgefunden hat.',
  readAccessMatrix: 'Sagt für jeden Endpunkt, was jede Rolle dort darf, oder ein Aufrufer.',
  listMutedDenials: 'Listet die stummgeschalteten Ablehnungen: wer aufruft und was der Aufruf braucht.',
  muteDenials: 'Hält Ablehnungen eines Aufrufers und Aufrufs einige Tage aus allen Befunden heraus.',
  unmuteDenials: 'Lässt Befunde sie wieder nennen.',
  readAccessUsage:
    'Vergleicht, was ein Client, eine Person oder eine Rolle hat, mit dem, was davon genutzt wurde.',
  listUnusedClients: 'Listet Clients, die so viele Tage kein Token bekommen haben; ohne Angabe 90.',
  readAccessAdministrators:
    'Sagt, wer als Administrator aufrief mit einem Token, für das keine Rolle angefordert war.',
  askWhatIf:
    'Sagt, wer durch eine Änderung einer Rolle oder eines Clients welche Aufrufe der letzten Tage verlöre oder gewänne.',
  // Approvals and elevations.
  listApprovals:
    'Listet Änderungen, die auf einen zweiten Administrator warten oder gewartet haben, die ältesten zuerst.',
  readApproval: 'Zeigt eine, mit dem, was sie ändern würde.',
  approveChange: 'Macht die Änderung, wie sie beantragt war, wenn noch so ist, was sie ändert, wie damals.',
  rejectChange: 'Sagt, dass sie nicht sein soll; wer sie beantragt hat, nimmt sie so zurück.',
  takeApprovalResult:
    'Gibt dem Antragsteller einmal, was die Änderung geantwortet hat: ein Secret eines neuen Clients, einen Einladungslink.',
  listElevations:
    'Listet erhöhte Rechte der letzten 30 Tage, die ältesten zuerst: eigene, oder mit api:elevations:read alle.',
  createElevation:
    'Gibt der aufrufenden Person eine der Rollen, die ihr offenstehen, auf Zeit und mit Begründung.',
  readElevation: 'Zeigt erhöhte Rechte: eigene, oder mit api:elevations:read die von jedem.',
  deleteElevation:
    'Beendet erhöhte Rechte, mit allen Sitzungen und Token der Person: eigene, oder mit api:elevations:write die von jedem.',
  // The audit.
  listAuditEntries: 'Listet Einträge des Audit-Protokolls, die neuesten zuerst.',
  readLatestEntries:
    'Zeigt die letzten Ablehnungen und die letzten Änderungen an Benutzern, Rollen, Clients und Identitätsanbietern.',
  listNewestAuditEntries:
    'Nennt die neuesten Einträge des Audit-Protokolls mit ihrer ID, die neuesten zuerst, für alle, die zählen, was dazugekommen ist.',
  readAuditEntry: 'Zeigt einen Eintrag des Audit-Protokolls.',
  eraseAuditEntry:
    'Nimmt aus dem Audit-Protokoll, was ein Eintrag sagt, wo ein Gesetz es verlangt; sein Hash bleibt, damit die Kette prüfbar ist.',
  traceAuditEntries: 'Zeigt die Einträge zu einer ID und was zu ihnen führte, die ältesten zuerst.',
  exportAudit: 'Gibt alle Einträge, die es jetzt gibt, als JSON-Zeilen, CSV oder CEF.',
  followAudit: 'Meldet Einträge, während sie geschrieben werden: für jeden ein Ereignis entry.',
  readAuditVerification:
    'Sagt, wann das Audit-Protokoll zuletzt geprüft wurde, bis zu welchem Eintrag und mit welchem Ergebnis.',
  verifyAudit: 'Beginnt, alle Einträge des Audit-Protokolls zu prüfen; eine Prüfung zur Zeit.',
  // Machine clients and applications.
  callAsClient:
    'Macht einen lesenden Aufruf bei den Membern, wie ein Client ihn machte, und zeigt, was dabei herauskommt.',
  listClients: 'Listet die Clients, zuerst die der Einstellungen, dann nach ID.',
  readClient: 'Zeigt einen Client, und nichts von seinen Secrets.',
  createClient:
    'Fügt einen Client hinzu; wenn er nicht öffentlich ist, mit einem Secret, das nur in dieser Antwort steht.',
  replaceClient:
    'Macht einen Client zu dem, was der Body sagt, sonst mit Vorgaben; seine Secrets bleiben, und ein neuer hat keine.',
  updateClient: 'Ändert, was genannt ist. Nimmt das etwas weg, gelten alle seine Token nicht mehr.',
  deleteClient: 'Entfernt den Client; keines seiner Token gilt mehr.',
  disableClient: 'Lehnt den Client und jedes seiner Token ab.',
  enableClient: 'Lässt einen deaktivierten Client wieder arbeiten, mit neuen Token.',
  createClientSecret: 'Gibt dem Client ein weiteres Secret; ein hier erzeugtes steht nur in dieser Antwort.',
  deleteClientSecret: 'Beendet ein Secret sofort, und jedes Token seines Clients.',
  tryClient: 'Sagt, was ein Token des Clients enthielte und öffnete; es wird keines ausgestellt.',
  listApplications: 'Listet die Anwendungen, zuerst die der Einstellungen, dann nach ID.',
  readApplication: 'Zeigt eine Anwendung, und nichts von ihren Secrets.',
  createApplication:
    'Fügt eine Anwendung hinzu; wenn sie nicht öffentlich ist, mit einem Secret, das nur in dieser Antwort steht.',
  replaceApplication:
    'Macht eine Anwendung zu dem, was der Body sagt, sonst mit Vorgaben; ihre Secrets bleiben, und eine neue hat keine.',
  updateApplication: 'Ändert, was genannt ist. Nimmt das etwas weg, gelten alle ihre Token nicht mehr.',
  deleteApplication: 'Entfernt die Anwendung; keines ihrer Token gilt mehr.',
  disableApplication: 'Lehnt die Anwendung und jedes ihrer Token ab.',
  enableApplication: 'Lässt eine deaktivierte Anwendung wieder arbeiten, mit neuen Token.',
  createApplicationSecret:
    'Gibt der Anwendung ein weiteres Secret; ein hier erzeugtes steht nur in dieser Antwort.',
  deleteApplicationSecret: 'Beendet ein Secret sofort, und jedes Token seines Clients.',
  tryApplication: 'Sagt, was ein Token der Anwendung enthielte und öffnete; es wird keines ausgestellt.',
  // Configuration.
  readConfiguration:
    'Beschreibt, was es gibt, oder was einer Quelle gehört; Secrets werden genannt und nicht gezeigt.',
  createConfigurationPlan:
    'Sagt Objekt für Objekt, was eine Beschreibung ändern würde; der Plan lässt sich eine Stunde lang anwenden.',
  readConfigurationPlan: 'Zeigt einen Plan.',
  applyConfigurationPlan:
    'Macht es so, alles in einer Änderung oder nichts, wenn sich nichts davon seitdem geändert hat.',
  readConfigurationSchema: 'Die Form von Konfigurationsdateien als JSON Schema, für Editoren.',
  readConfigurationDirectory:
    'Sagt, wie es ging, als die Dateien von CONSOLE_CONFIG_DIR zuletzt gelesen wurden.',
  readConfigurationDrift:
    'Sagt, was sich bewegt hat, seit eine Quelle angewendet wurde: was ihre erneute Anwendung änderte.',
  // Backups, imports, jobs.
  listBackups: 'Listet die Sicherungen im Datenverzeichnis, die ältesten zuerst.',
  createBackup: 'Beginnt eine stimmige Kopie des Speichers im Datenverzeichnis.',
  readBackup: 'Zeigt eine Sicherung.',
  restoreBackup:
    'Sagt, wie eine Sicherung an die Stelle des Speichers tritt: nur, während die Konsole angehalten ist.',
  createImport:
    'Fügt Benutzer oder Clients aus einer hochgeladenen Datei hinzu, mit den Hashes ihrer Passwörter und Secrets.',
  listJobs: 'Listet die Jobs der letzten 30 Tage, die neuesten zuerst.',
  readJob: 'Zeigt einen Job; mit Prefer: wait=N, wenn er vorbei ist, oder nach N Sekunden.',
  followJob: 'Meldet, wie ein Job vorankommt, bis er vorbei ist: für jede Änderung ein Ereignis job.',
  cancelJob: 'Bricht einen Job ab, sobald der laufende Schritt fertig ist; was er getan hat, bleibt.',
  createBulkAct: 'Tut dasselbe mit vielem, als Job: mit jedem, was seine eigene Operation tut.',
  undoBulkAct:
    'Nimmt zurück, was eine Sammelaktion geändert hat, als Job: deaktiviert oder aktiviert es wieder.',
  readBulkAct:
    'Zeigt eine Sammelaktion, die der Aufrufer begonnen hat; mit Prefer: wait=N, wenn sie vorbei ist.',
  // Health and this installation.
  readHealth:
    'Zeigt, wie es Membern, Speicher, Schlüsseln, Lizenz, Jobs und Einstellungen geht, höchstens fünf Sekunden alt.',
  runHealthCheck: 'Dasselbe, jetzt nachgesehen: Jedes Member wird gefragt, ob es bereit ist.',
  readBranding: 'Zeigt Name, Logo, Farbe und Sprache dieser Installation.',
  updateBranding: 'Ändert Name, Farbe und Sprache; gilt für jede Seite von der nächsten an.',
  putBrandingLogo: 'Zeigt dieses Bild an Stelle dessen des Produkts: ein PNG oder SVG von höchstens 64 KiB.',
  deleteBrandingLogo: 'Zeigt wieder das Logo des Produkts.',
  readInstallation: 'Zeigt, was hier läuft: Version, Speicher und die Bibliotheken darin mit ihren Lizenzen.',
  listSettings: 'Listet jede Einstellung mit Namen, Wert und Herkunft; kein Secret.',
  readSetting: 'Zeigt eine Einstellung.',
  listKeys: 'Listet die Signaturschlüssel des Schlüsselsatzes.',
  readKey: 'Zeigt einen Signaturschlüssel, ohne was davon geheim ist.',
  rotateKeys: 'Lässt die nächsten Schlüssel signieren; was die alten signiert haben, bleibt gültig.',
  readLicence: 'Zeigt die Lizenz.',
  listLicenceDeliveries:
    'Listet, wohin die Lizenz in den letzten 30 Tagen gesendet wurde und wer sie bestätigt hat.',
  putLicence: 'Bewahrt eine Lizenz an Stelle der vorigen auf und sendet sie dem Dashboard.',
  deleteLicence: 'Vergisst die Lizenz; Dashboards behalten, was sie haben, bis sie neu gestartet werden.',
  // The cluster.
  readCluster: 'Zeigt, wie es dem Cluster geht und was mit ihm getan werden darf, oder warum nicht.',
  changeClusterState: 'Bringt den Cluster in einen anderen Zustand.',
  changeClusterVersion: 'Hebt die Version des Clusters an, sobald jedes Member die neue ausführt.',
  readMemberLicence: 'Zeigt die Lizenz der Member. Eine Community Edition hat keine.',
  changeMemberLicence: 'Gibt den Membern einen anderen Lizenzschlüssel, bis sie neu gestartet werden.',
  startHotBackup:
    'Lässt die Member sichern, was sie persistieren. Eine Community-Edition sagt ja und tut nichts.',
  interruptHotBackup: 'Bricht diese Sicherung ab.',
  forceStartCluster:
    'Startet einen Cluster, der sich nicht erholen kann, ohne das, was er persistiert hat; das ist verloren.',
  partialStartCluster:
    'Startet einen Cluster mit den Membern, die da sind, und dem, was sie persistiert haben.',
  reloadMemberConfig: 'Lässt die Member ihre Konfiguration neu lesen und hinzufügen, was darin neu ist.',
  previewMemberConfig:
    'Zeigt, was eine Konfiguration bei den Membern hinzufügen würde, neben dem, was sie von hier bekommen haben.',
  updateMemberConfig: 'Ergänzt die Konfiguration der Member, in YAML oder XML.',
  shutDownCluster: 'Fährt jedes Member herunter. Die Member sagen ja, bevor sie es tun.',
  readCp: 'Zeigt das CP-Subsystem mit seinen Membern und Gruppen, oder warum es nicht da ist.',
  readCpGroup: 'Zeigt eine CP-Gruppe und ihre Member.',
  listCpSessions: 'Listet die Sitzungen einer CP-Gruppe.',
  promoteToCpMember: 'Macht ein Member des Clusters zum CP-Member.',
  removeCpMember: 'Entfernt ein CP-Member, das für immer gegangen ist.',
  removeCpGroup: 'Zerstört eine CP-Gruppe gewaltsam, mit allem, was darin ist.',
  removeCpSession: 'Beendet eine Sitzung einer CP-Gruppe gewaltsam: Was sie hält, wird freigegeben.',
  resetCp: 'Zerstört jede CP-Gruppe und beginnt das CP-Subsystem neu. Was darin war, ist verloren.',
  listMembers: 'Listet die Member, wie es ihnen geht und welche entlastet sind.',
  readMember: 'Zeigt, wie es einem Member geht.',
  readMemberDetails:
    'Zeigt, was ein Member von sich sagt: Verbindungen, Versionen und was es von seiner Konfiguration nennt.',
  drainMember:
    'Gibt einem Member nur noch Aufrufe, die es beim Namen nennen, bis die Entlastung beendet wird.',
  undrainMember: 'Gibt einem entlasteten Member wieder Aufrufe.',
  readMemberLogLevel: 'Zeigt das Log-Level, das ein Member über REST bekommen hat.',
  setMemberLogLevel: 'Gibt einem Member ein anderes Log-Level; null: wieder das seiner Konfiguration.',
  shutDownMember: 'Fährt ein Member herunter, nach den Aufrufen, die dort laufen.',
  // Maps and queues.
  listMaps:
    'Listet die Maps, deren Namen bekannt sind: aus Rollen, Clients und Aufrufen von 30 Tagen. Es kann weitere geben.',
  readMap: 'Zeigt, was von einer Map bekannt ist. Ob es sie gibt und wie groß sie ist, sagen Member nicht.',
  clearMap: 'Entfernt jeden Eintrag einer Map.',
  readMapEntry:
    'Zeigt einen Eintrag: seine Bytes und den Typ, der mit ihnen gespeichert wurde. Höchstens 1 MiB davon.',
  putMapEntry: 'Speichert einen Eintrag.',
  deleteMapEntry: 'Entfernt einen Eintrag.',
  readMapValue: 'Gibt den Wert eines Eintrags, gleich wie groß, als die Bytes, die er ist.',
  putMapValue: 'Speichert die gesendeten Bytes als Wert eines Eintrags.',
  startMapReading:
    'Liest die Einträge vieler Schlüssel als Job: ob es jeden gibt, seinen Typ und seine Größe.',
  listMapReadings:
    'Listet, was wer aufruft in den letzten 24 Stunden aus einer Map lesen ließ, das Neueste zuerst.',
  readMapReading:
    'Zeigt, was bis jetzt gelesen wurde; mit Prefer: wait=N, wenn es vorbei ist, oder nach N Sekunden.',
  stopMapReading: 'Hält nach den Einträgen an, die gerade gelesen werden; was gelesen wurde, bleibt.',
  listQueues:
    'Listet die Queues, deren Namen bekannt sind: aus Rollen, Clients und Aufrufen von 30 Tagen. Es kann weitere geben.',
  readQueue: 'Zeigt eine Queue und wie viele Elemente darin sind.',
  offerToQueue: 'Stellt ein Element ans Ende einer Queue.',
  pollQueue: 'Nimmt allen das erste Element einer Queue weg; null, wenn es keines gibt.',
  drainQueue: 'Nimmt mehrere Elemente weg, die ersten zuerst; weniger als verlangt, wenn sie groß sind.',
  startQueueDrain:
    'Beginnt, Elemente in eine Datei der Konsole zu nehmen, die ersten zuerst, eines nach dem anderen.',
  listQueueDrains:
    'Listet, was in den letzten 30 Tagen aus einer Queue in Dateien genommen wurde, die neuesten zuerst.',
  readQueueDrain: 'Zeigt, wie weit es ist; mit Prefer: wait=N, wenn es vorbei ist, oder nach N Sekunden.',
  stopQueueDrain:
    'Hält nach dem Element an, das gerade genommen wird; was genommen wurde, bleibt in der Datei.',
  fetchQueueItems: 'Gibt, was genommen wurde: für jedes Element eine JSON-Zeile, mit Typ und Wert in Base64.',
  deleteQueueItems: 'Entfernt die Datei. Wer sie nicht abgeholt hat, bekommt ihre Elemente nicht mehr.',
  // Whoever calls.
  callAsMyself:
    'Macht einen lesenden Aufruf bei den Membern, wie der Aufrufende ihn machte, und zeigt, was dabei herauskommt.',
  readMe: 'Sagt, wer aufruft und was das öffnet.',
  listPins: 'Listet die Maps und Queues, die die aufrufende Person angeheftet hat, in der Reihenfolge davon.',
  putPin:
    'Heftet eine Map oder Queue an, ob es sie gibt oder nicht: höchstens 200. Sie steht dann in Listen.',
  deletePin: 'Löst sie; eine nicht angeheftete bleibt so.',
  // People, roles, sessions and identity providers.
  listIdentityProviders: 'Listet die Identitätsanbieter nach ID.',
  createIdentityProvider: 'Fügt einen Identitätsanbieter hinzu.',
  readIdentityProvider: 'Zeigt einen Identitätsanbieter, ohne seine Secrets.',
  updateIdentityProvider: 'Ändert, was genannt ist, und behält das Übrige und die Konten.',
  replaceIdentityProvider:
    'Fügt einen Identitätsanbieter hinzu oder gibt einem alle seine Einstellungen neu; seine Secrets bleiben.',
  deleteIdentityProvider:
    'Entfernt einen Identitätsanbieter; solange er Konten hat, nur zusammen mit ihnen: dann 200, mit ihrer Zahl.',
  enableIdentityProvider: 'Lässt wieder Personen sich über einen deaktivierten Identitätsanbieter anmelden.',
  disableIdentityProvider: 'Hält alle eines Identitätsanbieters draußen und beendet ihre Sitzungen.',
  testIdentityProvider:
    'Macht eine Anmeldung zur Probe, soweit es dafür niemanden braucht, und sagt, wie jeder Schritt ging.',
  listRoles: 'Listet die Rollen, die eingebauten zuerst.',
  createRole: 'Fügt eine eigene Rolle hinzu.',
  putRole: 'Fügt eine eigene Rolle dieses Namens hinzu oder ersetzt die vorhandene ganz.',
  readRole: 'Zeigt eine Rolle und wer sie hat.',
  updateRole: 'Ändert, was genannt ist; gilt vom nächsten Aufruf an.',
  deleteRole: 'Entfernt eine eigene Rolle und nimmt sie allen, die sie haben.',
  listSessions:
    'Listet, wer angemeldet ist; eine Seite kann kurz sein, und nur die ohne next ist die letzte.',
  readSession: 'Zeigt eine Sitzung.',
  endSession:
    'Beendet eine Sitzung und alles, was darunter ausgestellt wurde, und teilt es den Anwendungen mit.',
  endAllSessions:
    'Beendet alle Sitzungen, die es gibt, die eigene zuletzt, als Job, der nach einem Neustart weiterläuft.',
  endSessions:
    'Beendet die Sitzungen eines Benutzers, bei einem Client oder eines Anbieters, höchstens 100: noch einmal mit cursor, bis next null ist.',
  listSessionLogouts:
    'Listet, welche Anwendungen die Sitzungen bestätigt haben, die binnen eines Tages endeten, die neuesten zuerst.',
  listUsers: 'Listet die Benutzer; eine Seite kann kurz sein, und nur die ohne next ist die letzte.',
  createUser: 'Fügt einen Benutzer hinzu, der ohne Passwort eingeladen ist.',
  readUser: 'Zeigt einen Benutzer.',
  putUser:
    'Macht einen Benutzer so, wie es hier steht; das Passwort bleibt, und wer neu ist, ist eingeladen.',
  updateUser:
    'Ändert, was genannt ist; eine Änderung der Rollen beendet, was dem Benutzer vorher ausgestellt wurde.',
  deleteUser: 'Entfernt einen Benutzer, mit allen Sitzungen und allem, was ausgestellt wurde.',
  disableUser:
    'Hindert einen Benutzer an der Anmeldung und beendet alle Sitzungen und alles, was ausgestellt wurde.',
  enableUser: 'Lässt einen deaktivierten Benutzer sich wieder anmelden.',
  endUserSessions: 'Beendet alle Sitzungen eines Benutzers und alles, was bis jetzt ausgestellt wurde.',
  inviteUser:
    'Macht einen Link, mit dem ein eingeladener Benutzer ein Passwort wählt; frühere gelten nicht mehr.',
  resetUserPassword:
    'Beendet Passwort und alle Sitzungen eines Benutzers: mit einem neuen Passwort oder einem Link, um eines zu wählen.',
  // Traffic.
  readTraffic:
    'Zeigt, wie die wichtigsten Zahlen waren: alle fünf Sekunden für einen Tag, alle fünf Minuten für dreißig.',
  readCalls:
    'Zeigt, wer in der letzten Stunde was bei den Membern aufgerufen hat, mit welchem Status und wie lange es dauerte.',
  listOpenCalls:
    'Listet die Aufrufe, die seit einer Sekunde oder länger auf ein Member warten, die längsten zuerst, höchstens 500.',
  endOpenCall: 'Beendet einen Aufruf, der auf ein Member wartet: Sein Aufrufer bekommt 503 call_ended.',
  // WAN replication.
  listWanPublishers:
    'Listet die WAN-Publisher, nach denen diese Konsole gefragt wurde. Es kann weitere geben.',
  addWanConfig: 'Fügt den WAN-Replikationen der Member Publisher hinzu.',
  readWanPublisher: 'Zeigt, was mit einem Publisher zuletzt über diese Konsole getan wurde.',
  pauseWanPublisher: 'Hält einen Publisher an: Änderungen werden eingereiht und nicht gesendet.',
  resumeWanPublisher: 'Lässt einen Publisher wieder senden.',
  stopWanPublisher:
    'Stoppt einen Publisher: Änderungen werden weder eingereiht noch gesendet und fehlen drüben.',
  clearWanPublisher: 'Wirft weg, was ein Publisher eingereiht hat.',
  syncWanPublisher: 'Sendet alle Einträge einer Map, oder jeder, zur anderen Seite.',
  checkWanPublisher: 'Vergleicht eine Map mit der auf der anderen Seite.',
  readWanSync: 'Zeigt, wie weit ein Abgleich oder eine Prüfung ist.',
};
