/** Effective access, and the change that opens a call, in English. */
import type { Texts } from '../../text-form.ts';

export const effectiveAccess = {
  'effective.about': 'What each may call at the members, with all that it has. A cell leads to why it is so.',
  'effective.notAt': '“But not at” a member: calls of this kind are switched off there, for everybody.',
  'effective.ofWhom': 'Of whom',
  'effective.who': 'Who',
  'effective.nobodyYet': 'There is nobody yet of whom one could ask.',
  'effective.yes': 'Yes',
  'effective.no': 'No',
  'effective.some': 'Some',
  'effective.offEverywhere': '{what}, but at no member',
  'effective.offAt': '{what}, but not at {off} of {members} members',
  'effective.askAboutCall': 'Ask about a call',
  'effective.caller': 'Caller',
  'effective.machineClient': 'Machine client',
  'effective.method': 'Method',
  'effective.ask': 'Ask',
  'effective.may': '{id} may',
  'effective.mayNot': '{id} may not',
  'effective.decidedBy': 'Decided by',
  'effective.atMembers': 'Switched off',
  'effective.groupOff':
    'Calls of this kind are switched off at {members}: no permission helps there. {setting} in the configuration of the member switches them on, once it is started again.',
  'effective.offEverywhereOpens':
    'No permission opens it: calls of this kind are switched off at every member. {setting} in the configuration of a member switches them on there, once it is started again.',
  'effective.smallestScope': 'Add {given}, the smallest: it may {what} then. It opens nothing else.',
  'effective.smallestRole': 'Give the role {given}, the narrowest. It opens what else that role opens.',
  'effective.close': 'All calls',
  'effective.offAtIt': '{what}, but not at {member}',
  'effective.opened': 'Opened: the next token that is asked for with it gets through.',
  'effective.wan': 'WAN',
  'effective.cp': 'CP',
  'effective.openFor': 'Open it for {id}',
  'effective.mayAskToo': '{id} may ask for {scope} too: the least that opens {call}.',
  'effective.tokensStay':
    'Tokens that it has stay as they are. It has to ask for the scope with its next one.',
  'effective.getsRole': '{id} gets a role that opens {call}, and whatever else that role opens.',
  'effective.countsWithNextToken': 'It counts with the next token that an application gets for this person.',
  'effective.narrowestFirst': 'Role, the narrowest first',
} as const satisfies Texts;
