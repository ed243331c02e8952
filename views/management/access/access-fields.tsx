import { renderPart } from '../../layout.tsx';
import type { Presentation } from '../../presentation.ts';
import { assetPath } from '../../static.ts';
import { useText } from '../../texts/elements.tsx';
import { type Choice, ChoicesField, LinesField, TextField, useLabel } from '../forms/fields.tsx';

/** What somebody may do at the members, as it stands in a form. */
export interface AccessForm {
  /** What that comes to, in words. */
  readonly sentence: string;
  readonly groups: readonly AccessGroup[];
  readonly maps: NamedStructures;
  readonly queues: NamedStructures;
  /** Further scopes, a line each. */
  readonly others: string;
}

interface AccessGroup {
  readonly label: string;
  readonly meaning: string;
  readonly choices: readonly Choice[];
}

interface NamedStructures {
  /** With commas between them. */
  readonly names: string;
  readonly actions: readonly Choice[];
}

interface AccessFieldsProps {
  readonly form: AccessForm;
  readonly errorOf: (name: string) => string | undefined;
}

export function AccessFields({
  form: { sentence, maps, queues, groups, others },
  errorOf,
}: AccessFieldsProps) {
  const t = useText();
  const nothingChosen = errorOf('access');
  useLabel('access', t('clients.access'));
  return (
    <fieldset class="choices" id="access">
      <legend>{t('clients.access')}</legend>
      {nothingChosen && <p class="field-error">{nothingChosen}</p>}
      <Sentence sentence={sentence} />
      <div class="pair">
        <TextField
          name="maps"
          label={t('common.maps')}
          hint={t('grants.names')}
          isOptional
          value={maps.names}
          error={errorOf('maps')}
        />
        <ChoicesField id="map-actions" legend={t('grants.may')} choices={maps.actions} />
      </div>
      <div class="pair">
        <TextField
          name="queues"
          label={t('common.queues')}
          isOptional
          value={queues.names}
          error={errorOf('queues')}
        />
        <ChoicesField id="queue-actions" legend={t('grants.may')} choices={queues.actions} />
      </div>
      <Groups groups={groups} />
      <details open={others !== '' || errorOf('scopes') !== undefined}>
        <summary>{t('grants.otherScopes')}</summary>
        <LinesField
          name="scopes"
          label={t('grants.scopes')}
          hint={t('grants.scopesHint')}
          isOptional
          value={others}
          error={errorOf('scopes')}
        />
      </details>
      <script type="module" src={assetPath('forming.js')} />
    </fieldset>
  );
}

/** It forms while somebody chooses; without script it stands when the form is shown again. */
function Sentence({ sentence }: Pick<AccessForm, 'sentence'>) {
  return (
    <p id="access-sentence" role="status">
      {sentence}
    </p>
  );
}

/** The sentence alone, for a form that is being filled in. */
export function renderSentence(
  { sentence }: Pick<AccessForm, 'sentence'>,
  presentation: Presentation,
): string {
  return renderPart(<Sentence sentence={sentence} />, presentation);
}

function Groups({ groups }: Pick<AccessForm, 'groups'>) {
  const t = useText();
  return (
    <table class="access-groups boxed">
      <caption>{t('grants.theCluster')}</caption>
      <tbody>
        {groups.map(({ label, meaning, choices }) => (
          <tr key={label}>
            <th scope="row">
              {label}
              <span class="hint">{meaning}</span>
            </th>
            <td>
              {choices.map(({ name, label: action, isChosen }) => (
                <div key={name} class="choice">
                  <input id={name} name={name} type="checkbox" checked={isChosen} />
                  <label for={name}>
                    <span>
                      <span class="unseen">{label}: </span>
                      {action}
                    </span>
                  </label>
                </div>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
