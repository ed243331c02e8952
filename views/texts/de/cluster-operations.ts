/** The cluster as a whole, and what is done to all of it, in German. */
import type { clusterOperations as english } from '../en/cluster-operations.ts';
import type { SameTexts } from '../text-form.ts';

export const clusterOperations: SameTexts<typeof english> = {
  'operations.wholeCluster': 'Was hier getan wird, trifft den ganzen Cluster.',
  'operations.active': 'Aktiv',
  'operations.noMigration': 'Keine Migration',
  'operations.frozen': 'Eingefroren',
  'operations.passive': 'Passiv',
  'operations.inTransition': 'Im Übergang',
  'operations.backupsInStep': 'Backups synchron',
  'operations.migrationQueue': 'Wartende Migrationen',
  'operations.yes': 'Ja',
  'operations.no': 'Nein',
  'operations.whatCanBeDone': 'Was möglich ist',
  'operations.eachAsksFirst':
    'Jede fragt vorher und sagt, was geschieht, außer Hot Backups, die niemanden stören.',
  'operations.operation': 'Operation',
  'operations.raiseVersion': 'Version anheben',
  'operations.onceNewRelease':
    'Wenn jedes Member eine neuere Version hat, nutzt der Cluster danach diese Version.',
  'operations.notPossibleNow': 'Jetzt nicht möglich',
  'operations.whyNot': 'Warum nicht',
  'operations.addToConfiguration': 'Zur Konfiguration hinzufügen',
  'operations.carefulRuns':
    'Vorsicht: Das ist für eine Wiederherstellung, die misslungen ist. Der Cluster ist: {state}.',
  'operations.carefulUnknown': 'Vorsicht: Kein Member sagt, ob die Backups synchron sind.',
  'operations.fineInStep': 'Gut: Die Backups sind synchron.',
  'operations.carefulNotInStep':
    'Vorsicht: Die Backups sind nicht synchron; was nur auf einem Member liegt, kann also verloren gehen.',
  'operations.migrationsWait': {
    one: 'Vorsicht: Eine Migration wartet.',
    other: 'Vorsicht: {n} Migrationen warten.',
  },
  'operations.changeState': 'Zustand ändern',
  'operations.stateAbout': 'Ob der Cluster Änderungen, Member und Migrationen annimmt.',
  'operations.stateChanged': 'Der Zustand des Clusters ist geändert.',
  'operations.stateNow': 'Der Zustand ist jetzt {state}.',
  'operations.stateNotKnown': 'Der Zustand ist jetzt nicht bekannt.',
  'operations.whatStatesMean':
    'Keine Migration: Partitionen bleiben, wo sie sind. Eingefroren: Es kommt auch kein Member hinzu. Passiv: Keine Änderung an Daten wird angenommen.',
  'operations.versionAbout': 'Die Version, der der Cluster als Ganzes folgt.',
  'operations.versionChanged': 'Die Version des Clusters ist die gewünschte.',
  'operations.goesByVersion': 'Der Cluster folgt danach der Version {version}.',
  'operations.noneTyped': '(keine eingegeben)',
  'operations.olderCannotJoin': 'Member einer älteren Version können nicht mehr beitreten.',
  'operations.licence': 'Lizenz der Member',
  'operations.noLicence': 'Keine, wie in einer Community Edition',
  'operations.endUnknown': 'ihr Ende wird nicht genannt',
  'operations.licenceEnds': 'endet am {day}',
  'operations.changeLicence': 'Lizenz ändern',
  'operations.licenceAbout':
    'Die Member erhalten einen anderen Lizenzschlüssel. Eine Community Edition nimmt keinen an.',
  'operations.licenceChanged': 'Die Member haben die neue Lizenz.',
  'operations.licenceEffect': 'Jedes Member des Clusters richtet sich sofort nach dem neuen Lizenzschlüssel.',
  'operations.licenceUntilRestart':
    'Er gilt, bis die Member neu gestartet werden: Tragen Sie ihn auch in ihre Konfiguration ein.',
  'operations.licenceKey': 'Lizenzschlüssel',
  'operations.forMembers': { one: 'für ein Member', other: 'für {n} Member' },
  'operations.reason': 'Grund',
  'operations.forTheAudit': 'Für das Audit-Protokoll: warum das jetzt getan wird.',
  'operations.reload': 'Konfiguration neu laden',
  'operations.reloadAbout': 'Die Member lesen ihre Konfiguration neu.',
  'operations.reloaded': 'Die Member haben ihre Konfiguration neu gelesen.',
  'operations.reloadAdds':
    'Die Member lesen ihre Konfiguration neu und fügen hinzu, was darin neu ist. Nichts wird weggenommen.',
  'operations.startBackup': 'Hot Backup starten',
  'operations.backupAbout':
    'Die Member sichern, was sie auf Platte halten, während sie weiterarbeiten. Eine Community-Edition sagt Ja und tut nichts.',
  'operations.backupTaken': 'Die Member haben das Backup übernommen. Sie sagen nicht, wann es fertig ist.',
  'operations.backupEffect': 'Die Member sichern, was sie auf Platte halten, während sie weiterarbeiten.',
  'operations.backupNotTold':
    'Eine Community-Edition sagt Ja und tut nichts. Die Member sagen nicht, wie weit das Backup ist.',
  'operations.interruptBackup': 'Hot Backup abbrechen',
  'operations.interruptAbout':
    'Beendet ein laufendes Backup: Es bleibt unfertig, und aus ihm lässt sich nicht starten.',
  'operations.interrupted': 'Die Member sind angewiesen, das Backup abzubrechen.',
  'operations.interruptEffect': 'Ein laufendes Backup bleibt unfertig, und aus ihm lässt sich nicht starten.',
  'operations.partialStart': 'Teilstart',
  'operations.partialAbout':
    'Startet nach einer misslungenen Wiederherstellung mit den Membern, die da sind.',
  'operations.partialStarted': 'Der Cluster ist angewiesen, mit den Membern zu starten, die da sind.',
  'operations.partialEffect': 'Was nur die fehlenden Member auf Platte haben, ist verloren.',
  'operations.forceStart': 'Start erzwingen',
  'operations.forceAbout': 'Startet nach einer misslungenen Wiederherstellung ohne das, was auf Platte ist.',
  'operations.forceStarted': 'Der Cluster ist angewiesen, ohne das zu starten, was er auf Platte hatte.',
  'operations.forceEffect':
    'Alles, was der Cluster auf Platte hat, ist verloren. Das lässt sich nicht rückgängig machen.',
  'operations.shutDown': 'Cluster herunterfahren',
  'operations.shutDownAbout': 'Jedes Member endet.',
  'operations.shuttingDown': 'Die Member haben bestätigt, dass sie herunterfahren.',
  'operations.everyMemberEnds': {
    one: 'Jedes Member endet (jetzt {n}), und jeder Aufruf wird abgelehnt, bis eines auf seinem Rechner wieder gestartet wird.',
    other:
      'Jedes Member endet (jetzt {n}), und jeder Aufruf wird abgelehnt, bis eines auf seinem Rechner wieder gestartet wird.',
  },
  'operations.everyMemberEndsUnknown':
    'Jedes Member endet (jetzt unbekannt viele), und jeder Aufruf wird abgelehnt, bis eines auf seinem Rechner wieder gestartet wird.',
  'operations.notPersistedLost': 'Was nicht auf Platte ist, ist verloren.',
};
