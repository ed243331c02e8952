/** Settings and the pages below them, in English. */
import type { Texts } from '../text-form.ts';

export const settings = {
  'api.whatThesePagesDo':
    'What these pages do, for programs: with a token for the resource of this console’s API.',
  'api.whatMembersTakeThrough':
    'What the members take, through this console: which calls a token opens is in its scopes and roles.',
  'branding.savedEveryPageFrom': 'Saved: every page from now on has it.',
  'branding.logoSet': 'The logo is set.',
  'branding.logoProductShownAgain': 'The logo of the product is shown again.',
  'branding.logoNotChanged': 'The logo was not changed. {message}',
  'keys.nextKeysSignAs': 'The next keys sign as soon as every verifier has had the time to see them.',
  'keys.newKeysSignEverything': 'New keys sign. Everything that was signed before is void.',
  'keys.keysNextSignFrom':
    'The keys that are next sign from then on. What the current ones signed stays valid until it expires.',
  'keys.nobodyDoAnythingVerifiers': 'Nobody has to do anything: verifiers find the keys in the key set.',
  'keys.rotateKeys': 'Rotate keys',
  'keys.keysWereStolenNew': 'For keys that were stolen: new ones sign from now on.',
  'keys.everyTokenOutVoid':
    'Every token that is out is void. Machine clients ask for new ones, and applications send people to sign in.',
  'keys.verifiersKeepKeySet':
    'Verifiers that keep the key set refuse the new tokens until they have read it anew.',
  'keys.replaceKeys': 'Replace keys',
  'start.couldNotFoundOut': 'This could not be found out now.',
  'start.makeTheAdministrator': 'Make the administrator',
  'start.somebodyWhoMayDo':
    'Somebody who may do everything. A second one is there when the first has lost the password.',
  'start.thereAre': { one: 'There is one.', other: 'There are {n}.' },
  'start.addAnother': 'Add another',
  'start.nameTheInstallation': 'Name the installation',
  'start.whoSeveralConsolesSees':
    'Who has several consoles sees in the bar, and before a sign-in, which one this is.',
  'start.nameProduct': 'It has the name of the product.',
  'start.itIsCalled': 'It is called {name}.',
  'start.seeTheCluster': 'See the cluster',
  'start.consoleShowsMembersFinds':
    'The console shows the members that it finds, and sends calls to those that are ready.',
  'start.noMemberReady': 'No member is ready.',
  'start.makeMachineClientRun': 'Make a machine client and run its call',
  'start.programSecretItsOwn':
    'A program with a secret of its own, which may read one map and nothing else. Its page has the call to paste.',
  'start.gotToken': '{id} has got a token.',
  'start.noneYet': 'There is none yet.',
  'start.runItsCall': 'Run its call',
  'start.gotNoTokenYet': '{id} has got no token yet. One that it gets is seen here within a minute.',
  'start.connectADashboard': 'Connect a dashboard',
  'start.applicationPeopleSignThrough':
    'An application that people sign in to through this console. Its page has the settings to paste.',
  'start.signedSomebody': '{id} has signed somebody in.',
  'start.noneSignedAnybodyYet': 'None has signed anybody in yet.',
  'start.connectIdentityProvider': 'Connect an identity provider',
  'start.peopleSignAccountThey':
    'People sign in with the account that they have at work. A dry run says what is wrong before anybody tries.',
  'start.isConnected': '{id} is connected.',
  'start.takeABackup': 'Take a backup',
  'start.copyStoreDataDirectory':
    'A copy of the store in the data directory: users, clients, keys. Take it away from this machine, too.',
  'about.whatRunsHereNothing':
    'What runs here. Nothing on this page is secret: it helps whoever is asked for help.',
  'about.notStartedYet': 'Not started yet',
  'about.notRunning': 'Not running',
  'about.formatRegistryFormat': '{engine}, format {format}; registry, format {registryFormat}',
  'about.lastBackup': 'Last backup',
  'about.licenceDashboard': 'Licence of the dashboard',
  'about.until': 'until {expiresAt}',
  'about.withoutEnd': 'without end',
  'about.libraries': 'Libraries',
  'about.consoleRunsFromIts': 'This console runs from its sources: what it uses stands in package.json.',
  'about.library': 'Library',
  'about.licence': 'Licence',
  'api.whatProgramsMayCall':
    'What programs may call: the console itself, and the members behind it. Tokens for both come from /oauth2/token.',
  'api.installationBuiltWithoutIts': 'This installation was built without its descriptions.',
  'api.openAPIDocument': 'OpenAPI document',
  'api.explorer': 'Open explorer',
  'api.triedAsYou':
    'Calls are made as you, with your roles: what you change here is changed, and stands in the audit log. Where a sign-in of late is asked for, sign in again and send the call once more.',
  'api.triedElsewhere':
    'Calls to members take the token of a machine client: its page makes one and shows the answer.',
  'api.explorerNeedsScript':
    'The explorer needs script. The page before this one lists every call without it.',
  'api.noSuchInterface': 'There is no such interface.',
  'api.scope': 'Scope',
  'branding.whatEverybodySeesInstallation':
    'What everybody sees of this installation: in the bar of every page, and before a sign-in.',
  'branding.nameAndColour': 'Name, colour and language',
  'branding.theyCountEveryPage': 'They count for every page from the next one on.',
  'branding.suchAsProdEu': 'Such as Prod-EU: up to 40 characters. Nothing: the name of the product.',
  'branding.colour': 'Colour',
  'branding.buttonsLinksSuchAs':
    'Of buttons and links, such as #0f5a49. It must be readable on the light ground; for the dark one a lighter one follows from it.',
  'branding.language': 'Language',
  'branding.whereNobodyAsks':
    'Of pages, for whoever has chosen none and whose browser asks for none of these.',
  'branding.notSaid': 'Not set: {language}',
  'branding.logo': 'Logo',
  'branding.pngSvgUp64':
    'A PNG or an SVG of up to 64 KiB, shown 32 pixels high on white. Of an SVG only shapes, colours and text are kept: nothing that runs, loads or links.',
  'branding.logoAsNow': 'The logo as it is now',
  'branding.file': 'File',
  'branding.replaceLogo': 'Replace logo',
  'branding.setLogo': 'Set logo',
  'branding.removeLogo': 'Remove logo',
  'keys.signs': 'Signs',
  'keys.next': 'Next',
  'keys.onlyVerifies': 'Only verifies',
  'keys.tokensSignedThemEverybody':
    'Tokens are signed with them. Everybody can read their public halves in the key set, and nobody the private ones.',
  'keys.asOauth2Jwks': 'As /oauth2/jwks has it.',
  'keys.noKeyYetFirst': 'There is no key yet: the first start of a console makes them.',
  'keys.keyId': 'Key id',
  'keys.algorithm': 'Algorithm',
  'keys.keySetSince': 'In the key set since',
  'keys.signsFrom': 'Signs from',
  'keys.signsUntil': 'Signs until',
  'keys.leavesKeySet': 'Leaves the key set',
  'keys.replaceKeysOnce': 'Replace keys at once',
  'settings.theyReadHereEnvironment':
    'They are read here. Environment, flags or console.yaml set them, and a new start takes them over, but for those that change live.',
  'settings.search': 'Name or words of what it means',
  'settings.which': 'Which',
  'settings.changed': 'Not the default',
  'settings.warned': 'With warning',
  'settings.setting': 'Setting',
  'settings.from': 'From',
  'settings.noSetting': 'There is no setting.',
  'settings.setNotShown': 'Set, not shown',
  'settings.empty': 'Empty',
  'settings.nowhere': 'Nowhere',
  'settings.default': 'Default',
  'start.open': 'Open',
  'start.putOff': 'Put off',
  'start.putStepOff': 'Put off',
  'start.ofDone': '{done} of {steps} done',
  'start.anyOrderLeftAny':
    'In any order, and left at any time: this page finds out what is done. What you put off is put off in this browser.',
  'start.byCommand': 'By command: {command}',
  'start.takeBackup': 'Take backup',
  'start.takeUpAgain': 'Take up again',
  'start.stepsDonePutOff': '{strong}: {done} of {steps} steps are done. {link}, or put off what can wait.',
  'start.goNextOne': 'Go on with the next one',
  'start.backups': { one: 'There is one.', other: 'There are {n}.' },
  'start.ready': { one: 'One is ready.', other: '{n} are ready.' },
  'start.noBackupYet': 'There is none yet.',
  'about.codeOfLibraries': {
    one: 'Code of {n} library is in the programs. Its terms in full stand in dist/THIRD-PARTY-NOTICES.txt of the installation.',
    other:
      'Code of these {n} is in the programs. Their terms in full stand in dist/THIRD-PARTY-NOTICES.txt of the installation.',
  },
  'about.installation': 'Installation',
  'about.processes': 'Processes',
  'about.store': 'Store',
  'settings.changesLive': 'It changes live.',
} as const satisfies Texts;
