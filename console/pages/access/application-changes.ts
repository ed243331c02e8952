/** What the form of an application says, as a change by API, command and form. */
import type { ApplicationForm } from '../../../views/management/access/application-form.tsx';
import type { ShownApplication } from '../../../views/management/access/applications.tsx';
import type { Form } from '../../http/form.ts';
import { controlsFor } from '../forms.ts';
import { commandWith, setDifference, type TypedChange, textDifference } from '../ways/change-ways.ts';
import type { Preset } from './application-presets.ts';

type Roles = ApplicationForm['roles'];

export function formOf(application: ShownApplication, roles: Roles): ApplicationForm {
  return {
    displayName: application.displayName ?? '',
    url: '',
    redirectUris: application.redirectUris.join('\n'),
    postLogoutUris: application.postLogoutUris.join('\n'),
    backchannelLogoutUri: application.backchannelLogoutUri ?? '',
    clientUri: application.clientUri ?? '',
    logoUri: application.logoUri ?? '',
    isFirstParty: application.firstParty,
    roles,
  };
}

export function typedForm(form: Form, roles: Roles): ApplicationForm {
  const text = (name: string) => form.get(name)?.trim() ?? '';
  return {
    displayName: text('displayName'),
    url: text('url'),
    redirectUris: text('redirectUris'),
    postLogoutUris: text('postLogoutUris'),
    backchannelLogoutUri: text('backchannelLogoutUri'),
    clientUri: text('clientUri'),
    logoUri: text('logoUri'),
    isFirstParty: form.has('firstParty'),
    roles: roles.map(({ id }) => ({ id, isChosen: form.has(`role:${id}`) })),
  };
}

function linesOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((line) => line !== '');
}

function chosenRoles({ roles }: ApplicationForm): readonly string[] {
  return roles.filter(({ isChosen }) => isChosen).map(({ id }) => id);
}

function typedAddresses(typed: ApplicationForm) {
  return {
    redirectUris: linesOf(typed.redirectUris),
    postLogoutUris: linesOf(typed.postLogoutUris),
    backchannelLogoutUri: typed.backchannelLogoutUri || null,
    clientUri: typed.clientUri || null,
    logoUri: typed.logoUri || null,
  };
}

export function addition(id: string, { isPublic, addressesAt }: Preset, typed: ApplicationForm): TypedChange {
  const url = typed.url.replace(/\/+$/, '');
  const { redirectUris, postLogoutUris, backchannelLogoutUri, clientUri, logoUri } = addressesAt
    ? { ...addressesAt(url), clientUri: url === '' ? null : `${url}/`, logoUri: null }
    : typedAddresses(typed);
  const maxRoles = chosenRoles(typed);
  const body = {
    ...(typed.displayName !== '' && { displayName: typed.displayName }),
    redirectUris,
    ...(postLogoutUris.length > 0 && { postLogoutUris }),
    ...(backchannelLogoutUri !== null && { backchannelLogoutUri }),
    ...(clientUri !== null && { clientUri }),
    ...(logoUri !== null && { logoUri }),
    ...(isPublic && { isPublic }),
    ...(typed.isFirstParty && { firstParty: true }),
    maxRoles,
  };
  const roleWords = maxRoles.length === 0 ? ['none'] : maxRoles;
  return {
    operation: 'createApplication',
    body: { id, ...body },
    command: [
      ...['client', 'add', id],
      ...textDifference('name', null, typed.displayName || null),
      ...redirectUris.flatMap((uri) => ['--redirect-uri', uri]),
      ...postLogoutUris.flatMap((uri) => ['--post-logout-uri', uri]),
      ...textDifference('backchannel-logout-uri', null, backchannelLogoutUri),
      ...textDifference('client-uri', null, clientUri),
      ...textDifference('logo-uri', null, logoUri),
      ...(isPublic ? ['--public'] : []),
      ...(typed.isFirstParty ? ['--first-party'] : []),
      ...roleWords.flatMap((role) => ['--max-role', role]),
    ],
  };
}

export function edit(application: ShownApplication, typed: ApplicationForm): TypedChange {
  const { id } = application;
  const body = {
    displayName: typed.displayName || null,
    ...typedAddresses(typed),
    firstParty: typed.isFirstParty,
    maxRoles: chosenRoles(typed),
  };
  const isSame = application.maxRoles === null && typed.roles.every(({ isChosen }) => isChosen);
  return {
    operation: 'updateApplication',
    params: { client: id },
    // Where all of them are meant, those that are made later are meant too.
    body: isSame ? { ...body, maxRoles: null } : body,
    command: commandWith(
      ['client', 'update', id],
      [
        textDifference('name', application.displayName, body.displayName),
        setDifference('redirect-uri', application.redirectUris, body.redirectUris),
        setDifference('post-logout-uri', application.postLogoutUris, body.postLogoutUris),
        textDifference('backchannel-logout-uri', application.backchannelLogoutUri, body.backchannelLogoutUri),
        textDifference('client-uri', application.clientUri, body.clientUri),
        textDifference('logo-uri', application.logoUri, body.logoUri),
        isSame ? [] : setDifference('max-role', application.maxRoles, body.maxRoles),
        typed.isFirstParty === application.firstParty
          ? []
          : [typed.isFirstParty ? '--first-party' : '--no-first-party'],
      ],
    ),
    stored: application,
  };
}

const typedTexts = [
  'displayName',
  'redirectUris',
  'postLogoutUris',
  'backchannelLogoutUri',
  'clientUri',
  'logoUri',
] as const;
const members: readonly string[] = ['id', ...typedTexts];

export const fieldOf = controlsFor(members, new Map([['maxRoles', 'roles']]));

/** Where the addresses come of one, that one is what is wrong. */
export function fieldOfNew({ addressesAt }: Preset): typeof fieldOf {
  return (pointer) => {
    const field = fieldOf(pointer);
    const isOfUrl = addressesAt !== undefined && /Uri/.test(field ?? '');
    return isOfUrl ? 'url' : field;
  };
}
