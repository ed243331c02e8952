/** What pages say to people without rights, in English: whole sentences, with `{gaps}`. */
import type { Texts } from '../text-form.ts';

export const signIn = {
  'page.problem': 'Problem: {title}',
  'page.banner': 'One door to the cluster: for the people who run it and the machines that use it.',
  'page.skip': 'Skip to the content',
  'page.languages': 'Language',
  'field.optional': 'optional',
  'field.username': 'Username',
  'field.password': 'Password',
  'field.passwordAgain': 'Confirm password',
  'field.email': 'Email',
  'field.newPasswordHint': {
    one: 'At least {n} character, any of them. A short sentence is easy to remember and hard to guess.',
    other: 'At least {n} characters, any of them. A short sentence is easy to remember and hard to guess.',
  },
  'act.signIn': 'Sign in',
  'act.signOut': 'Sign out',
  'act.cancel': 'Cancel',
  'act.confirm': 'Confirm',
  'act.continue': 'Continue',
  'act.allow': 'Allow',
  'act.deny': 'Deny',
  'ownAddress.where':
    'This console is at {address}. If your browser shows another address, open it there: this form works nowhere else.',

  'login.confirmTitle': 'Confirm it’s you',
  'login.tooMany': 'Too many attempts.',
  'login.retryInSeconds': { one: 'Try again in one second.', other: 'Try again in {n} seconds.' },
  'login.retryInMinutes': { one: 'Try again in one minute.', other: 'Try again in {n} minutes.' },
  'login.reference': '{code}, request {request}',
  'login.keptElsewhere': 'You are signed in as {name}, and your password is kept elsewhere.',
  'login.with': 'Sign in with {name}',
  'login.orWith': 'Or sign in with',
  'login.account': 'With your account at this console.',
  'login.accountOr': 'With your account at this console, or at {others}.',
  'login.orAt': ', or at ',
  'login.asks': 'Sign in to continue to {application}.',
  'login.asksPassword': '{application} asks for your password once more.',
  'login.asksAgain': '{application} asks you to sign in once more.',
  'login.again': 'Enter your password to continue.',

  'notSetUp.title': 'Not set up yet',
  'notSetUp.about':
    'This console has no administrator, so nobody can sign in. When it starts, it prints a link that makes the first one:',
  'notSetUp.where':
    'Look for it where the console was started: in the terminal, or in the output that the service manager or the container keeps. Each start prints a new link. Or make the administrator on that machine:',

  'setup.title': 'Create the first administrator',
  'setup.about': 'Nobody can sign in yet. This account may do everything here; it can add the others later.',
  'setup.create': 'Create administrator',

  'invitation.title': 'Choose your password',
  'invitation.about': 'An administrator has made this link for you. It works once.',
  'invitation.set': 'Set password',
  'invitation.doneTitle': 'Your password is set',
  'invitation.done': 'Sign in with it as {name}. The link does not work any more.',

  'consent.title': 'Allow {application} to use your account?',
  'consent.asks': 'You are signed in as {name}. The application at {origin} asks for:',
  'consent.asksById':
    'You are signed in as {name}. The application at {origin}, registered here as {id}, asks for:',
  'consent.nothing': 'Nothing more than to know that you are signed in.',
  'consent.new': 'New',
  'consent.reachNothing':
    'None of your roles go along: it can do nothing here or at the members in your name.',
  'consent.reachMembers': 'It can act so at the members of the cluster, and not here.',
  'consent.reachConsole': 'It can act so at the administration of this console, and not at the members.',
  'consent.back': 'Either way you go back to {origin}.',

  'logout.title': 'Sign out?',
  'logout.asks': '{application} asks to sign you out.',
  'logout.name': 'You are signed in as {name}.',
  'logout.about':
    'Signing out ends this session in the console and in every application that you opened with it.',
  'logout.stay': 'Stay signed in',

  'loggedOut.title': 'You are signed out',
  'loggedOut.over': 'This session is over. On a shared computer, close the window as well.',
  'loggedOut.partly':
    'This session is over here. Some of the applications that you opened with it have not confirmed that it is over there too.',
  'loggedOut.check': 'You can close this page, or {check}.',
  'loggedOut.checkAgain': 'check again',
  'loggedOut.back': 'Back to {application}',
  'loggedOut.signInAgain': 'Sign in again',
  'loggedOut.frame': 'Sign-out of an application',
  'loggedOut.applications': 'Applications of this session',
  'loggedOut.providerDone': 'You are signed out at {provider} too.',
  'loggedOut.providerNext':
    'You signed in by {provider}, and go on there now to sign out. Until then your session there is open.',
  'loggedOut.providerOpen':
    'You signed in by {provider}, and your session there may still be open: {name} has not confirmed that it is over. On a shared computer, sign out there too.',
  'loggedOut.providerAt': 'Sign out at {provider}',
  'loggedOut.providerError':
    'Should {provider} have shown an error, this asks it once more, and it may want you to confirm.',
  'outcome.confirmed': 'Signed out',
  'outcome.asked': 'Notified',
  'outcome.askedMeaning': 'By this page, in this browser.',
  'outcome.waiting': 'Waiting',
  'outcome.waitingMeaning': 'The console keeps notifying it.',
  'outcome.failed': 'Not confirmed',
  'outcome.failedMeaning': 'It did not answer. To be sure, sign out there too.',

  'step.title': 'Continue to {provider}',
  'step.signIn': 'You sign in at {provider}, which wants to be asked by a form.',
  'step.signOut': 'You are signed out here. {provider} has to hear of it from your browser.',
  'step.goOn': 'Continue to {provider}',

  'device.title': 'Sign a program in',
  'device.about': 'A program that has no browser of its own shows you a code of eight letters.',
  'device.code': 'Code',
  'device.hint': 'Only if you have started the program yourself, and it shows this code now.',
  'device.acts':
    'It will act at the administration of this console as {name}, with all roles of that account.',
  'device.nextAccount': 'the account that you sign in with next',
  'device.shows': 'The program shows the code',
  'device.from': 'It asked from',
  'device.warning': 'Deny it if somebody else has sent you here, or the code is another one.',
  'device.allowedTitle': 'The program is signed in',
  'device.deniedTitle': 'The program was not signed in',
  'device.allowed':
    'It goes on by itself in a few seconds. It stays signed in for as long as your session here; signing out ends both.',
  'device.denied': 'Nothing was given to it.',
  'device.close': 'You can close this page.',

  'error.goOn': 'Go on',
  'error.again': 'Try again',
  'error.membersAway':
    'Under Members you see which one is away, or not ready, and why. Once one answers, the same works again.',
  'error.home': 'Go to the start page',
  'error.back': 'Go back',
  'error.backTo': 'Back to {page}',
  'error.unread': 'Nothing was changed.',
  'error.status': 'Status',
  'error.code': 'Code',
  'error.request': 'Request',
} as const satisfies Texts;
