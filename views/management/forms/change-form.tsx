/** Forms that add or change one thing: errors on top and beside the fields, and the same change in other ways. */

import type { ComponentChildren } from 'preact';
import { Form } from '../../elements/form.tsx';
import { renderDocument } from '../../layout.tsx';
import { Text, useText } from '../../texts/elements.tsx';
import { Part } from '../detail.tsx';
import { type Crumb, type FrameModel, ManagementPage } from '../frame.tsx';
import { type Snippet, Snippets } from '../snippets.tsx';
import { type Conflict, Conflicts, OtherPicks } from './conflicts.tsx';
import { ErrorList, type FieldError, TextField } from './fields.tsx';

/** What has come of a form that is shown again. */
export interface FormState {
  readonly errors: readonly FieldError[];
  /** What is typed as command, call of the API and file, where that was asked; empty when it changes nothing. */
  readonly ways?: readonly Snippet[] | undefined;
  /** What somebody else has changed meanwhile, and is typed here as something else. */
  readonly conflicts?: readonly Conflict[] | undefined;
}

/** As the admin API says whose a thing is. */
export interface Owner {
  readonly kind: 'admin' | 'code' | 'settings';
  /** Of `code`. */
  readonly source: string | null;
}

export interface EditState extends FormState {
  readonly csrf: string;
  /** Of the version that was read when the form was made. */
  readonly version: string;
  /** What each member was then: see console/pages/form-conflicts.ts. */
  readonly base: string;
  /** The files of configuration that describe the thing, where some do. */
  readonly source?: string | undefined;
  /** What is saved is taken from these files. */
  readonly takesOver: boolean;
}

export interface AddState extends FormState {
  readonly frame: FrameModel;
  readonly csrf: string;
  /** Of this form: sent twice, it adds one thing. */
  readonly idempotencyKey: string;
}

export type ErrorOf = (field: string) => string | undefined;

/** The name in `do` of a form that changes a thing, and of one that adds one. */
export const saveAct = 'save';
export const newAct = 'new';

interface EditPartProps extends EditState {
  /** Address of the thing. */
  readonly href: string;
  readonly about: string;
  readonly title?: string;
  readonly fields: (errorOf: ErrorOf) => ComponentChildren;
}

/** On top of the page of a thing whose form has errors: they stand further down. */
export function NotSaved() {
  const t = useText();
  return (
    <>
      {t('common.nothingWasSaved')} <a href="#edit">{t('frame.seeBelow')}</a>
    </>
  );
}

/** Of the page of a thing. */
export function EditPart({
  href,
  about,
  csrf,
  version,
  base,
  source,
  takesOver,
  fields,
  errors,
  ways,
  conflicts,
  title,
}: EditPartProps) {
  const t = useText();
  // What was typed before files described it stays on the page.
  if (source !== undefined && !takesOver && errors.length === 0) {
    const takeOver = (
      <a class="button" href={`${href}?takeOver=true#edit`}>
        {t('frame.takeOver')}
      </a>
    );
    return (
      <Part id="edit" title={t('common.edit')} about={<OwnedBy source={source} />} acts={takeOver}>
        {null}
      </Part>
    );
  }
  const hidden = { csrf, do: saveAct, version, base, ...(takesOver && { takeOver: 'true' }) };
  return (
    <Part id="edit" title={title ?? t('common.edit')} about={about}>
      {source !== undefined && takesOver && (
        <p class="muted">{t('frame.savingTakesFromFiles', { source })}</p>
      )}
      <ChangeForm
        action={href}
        hidden={hidden}
        button={t('frame.save')}
        errors={errors}
        ways={ways}
        conflicts={conflicts}
      >
        {fields(errorIn({ errors }))}
      </ChangeForm>
    </Part>
  );
}

function OwnedBy({ source }: { readonly source: string }) {
  return <Text id="frame.ownedByFiles" gaps={{ source: <bdi>{source}</bdi> }} />;
}

interface AddPageProps extends AddState {
  readonly path: readonly Crumb[];
  /** Verb and noun; the button says the same. */
  readonly title: string;
  /** What comes of it. */
  readonly about: ComponentChildren;
  /** Above the form. */
  readonly before?: ComponentChildren;
  /** Further hidden fields. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** Above the id. */
  readonly first?: (errorOf: ErrorOf) => ComponentChildren;
  /** What the new thing is called for good. */
  readonly id: {
    readonly label: string;
    readonly hint: string;
    readonly value: string;
    /** The field that it follows while somebody types. */
    readonly follows?: string;
  };
  readonly fields: (errorOf: ErrorOf) => ComponentChildren;
}

/** At `?do=new` of a list; the form goes to the list. */
export function renderAddPage({
  frame,
  path,
  title,
  about,
  before,
  hidden,
  first,
  id,
  csrf,
  idempotencyKey,
  fields,
  ...state
}: AddPageProps): string {
  const errorOf = errorIn(state);
  return renderDocument(
    <ManagementPage frame={frame} path={path} title={title} hasProblem={state.errors.length > 0}>
      <p class="lede">{about}</p>
      {before}
      <ChangeForm
        action={path.at(-1)!.href}
        hidden={{ ...hidden, csrf, do: newAct, idempotencyKey }}
        button={title}
        {...state}
      >
        {first?.(errorOf)}
        <TextField name="id" {...id} error={errorOf('id')} />
        {fields(errorOf)}
      </ChangeForm>
    </ManagementPage>,
    frame.presentation,
  );
}

interface ChangeFormProps extends FormState {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  readonly button: string;
  readonly children: ComponentChildren;
}

function ChangeForm({ action, hidden, button, errors, ways, conflicts = [], children }: ChangeFormProps) {
  const t = useText();
  return (
    <>
      <ErrorList errors={errors} controls={children} />
      <Form action={action} hidden={hidden}>
        <Conflicts.Provider value={{ conflicts, placed: new Set() }}>
          {children}
          <OtherPicks />
        </Conflicts.Provider>
        <div class="actions">
          <button type="submit" class="button primary">
            {button}
          </button>
          <button type="submit" class="button" name="show" value="ways">
            {t('frame.doCommand')}
          </button>
        </div>
      </Form>
      {ways && <Ways ways={ways} />}
    </>
  );
}

/** Nothing has been changed by showing it. */
function Ways({ ways }: { readonly ways: readonly Snippet[] }) {
  const t = useText();
  return (
    <section class="part" id="ways" aria-labelledby="ways-title">
      <h2 id="ways-title">{t('frame.sameCommand')}</h2>
      {ways.length === 0 ? (
        <p class="muted">{t('frame.whatTypedWhatStored')}</p>
      ) : (
        <>
          <p class="muted">{t('frame.nothingChangedYetEach')}</p>
          <Snippets snippets={ways} />
        </>
      )}
    </section>
  );
}

function errorIn({ errors }: FormState): ErrorOf {
  return (name) => errors.find(({ field }) => field === name)?.text;
}
