/** The cluster as a whole, and what is done to all of it, in English. */
import type { Texts } from '../text-form.ts';

export const clusterOperations = {
  'operations.wholeCluster': 'What is done here is done to the whole cluster.',
  'operations.active': 'Active',
  'operations.noMigration': 'No migration',
  'operations.frozen': 'Frozen',
  'operations.passive': 'Passive',
  'operations.inTransition': 'In transition',
  'operations.backupsInStep': 'Backups in step',
  'operations.migrationQueue': 'Migration queue',
  'operations.yes': 'Yes',
  'operations.no': 'No',
  'operations.whatCanBeDone': 'What can be done',
  'operations.eachAsksFirst':
    'Each asks first, and says what it does. Those of hot backups do not: they disturb nobody.',
  'operations.operation': 'Operation',
  'operations.raiseVersion': 'Raise version',
  'operations.onceNewRelease': 'Once every member runs a new release, the cluster as a whole can go by it.',
  'operations.notPossibleNow': 'Not possible now',
  'operations.whyNot': 'Why not',
  'operations.addToConfiguration': 'Add to configuration',
  'operations.carefulUnknown': 'Careful: no member tells whether backups are in step.',
  'operations.fineInStep': 'Fine: backups are in step.',
  'operations.carefulNotInStep':
    'Careful: backups are not in step, so what is on one member alone can be lost.',
  'operations.migrationsWait': {
    one: 'Careful: one migration waits.',
    other: 'Careful: {n} migrations wait.',
  },
  'operations.changeState': 'Change state',
  'operations.stateAbout': 'Whether the cluster takes changes, members and migrations.',
  'operations.stateChanged': 'The state of the cluster is changed.',
  'operations.stateNow': 'The state is {state} now.',
  'operations.stateNotKnown': 'The state is not known now.',
  'operations.whatStatesMean':
    'No migration: partitions stay where they are. Frozen: no member joins either. Passive: no change of data is taken.',
  'operations.versionAbout': 'The version by which the cluster as a whole goes.',
  'operations.versionChanged': 'The version of the cluster is what was asked for.',
  'operations.goesByVersion': 'The cluster goes by the version {version} from then on.',
  'operations.noneTyped': '(none was typed)',
  'operations.olderCannotJoin': 'Members of an older release cannot join any more.',
  'operations.reason': 'Reason',
  'operations.forTheAudit': 'For the audit: why this is done now.',
  'operations.reload': 'Reload configuration',
  'operations.reloadAbout': 'Members read their configuration anew.',
  'operations.reloaded': 'The members have read their configuration anew.',
  'operations.reloadAdds':
    'The members read their configuration anew, and add what is new in it. Nothing is taken away.',
  'operations.startBackup': 'Start hot backup',
  'operations.backupAbout':
    'Members back up what they persist, while they work on. A community edition says yes, and does nothing.',
  'operations.backupTaken': 'The members have taken the backup on. They do not tell when it is done.',
  'operations.backupEffect': 'The members back up what they persist, while they work on.',
  'operations.backupNotTold':
    'A community edition says yes, and does nothing. Members do not tell how far the backup is.',
  'operations.interruptBackup': 'Interrupt hot backup',
  'operations.interruptAbout':
    'Ends a backup that is under way: it is left unfinished, and cannot be started from.',
  'operations.interrupted': 'The members have been told to interrupt the backup.',
  'operations.interruptEffect': 'A backup that is under way is left unfinished, and cannot be started from.',
  'operations.partialStart': 'Partial start',
  'operations.partialAbout': 'Starts with the members that are there, after a failed recovery.',
  'operations.partialStarted': 'The cluster has been told to start with the members that are there.',
  'operations.partialEffect': 'What only the members that are away have persisted is lost.',
  'operations.forceStart': 'Force start',
  'operations.forceAbout': 'Starts without what is persisted, after a failed recovery.',
  'operations.forceStarted': 'The cluster has been told to start without what it had persisted.',
  'operations.forceEffect': 'All that the cluster has persisted is lost. This cannot be undone.',
  'operations.shutDown': 'Shut down cluster',
  'operations.shutDownAbout': 'Every member ends.',
  'operations.shuttingDown': 'The members have said that they shut down.',
  'operations.everyMemberEnds': {
    one: 'Every member ends ({n} now), and every call is refused until one is started again on its machine.',
    other:
      'Every member ends ({n} now), and every call is refused until one is started again on its machine.',
  },
  'operations.everyMemberEndsUnknown':
    'Every member ends (an unknown number now), and every call is refused until one is started again on its machine.',
  'operations.notPersistedLost': 'What is not persisted is lost.',
} as const satisfies Texts;
