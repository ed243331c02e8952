/** What is added to the configuration of members, and what would change, in English. */
import type { Texts } from '../text-form.ts';

export const memberConfig = {
  'diff.added': 'Added',
  'diff.removed': 'Removed',
  'diff.more': 'There are more lines than are shown.',
  'memberConfig.about':
    'In YAML or XML. The next page shows what would change, and asks before anything is sent.',
  'memberConfig.wanted': 'Wanted configuration',
  'memberConfig.show': 'Show what would change',
  'memberConfig.addsWhatIsNew':
    'The members add what is new in it, and keep what they have, whatever it says here. Nothing is taken away.',
  'memberConfig.comparedWithSent':
    'It is compared with what was sent from here: members do not report their configuration.',
  'memberConfig.notCompared':
    'The console cannot read it as YAML, so all of it is shown. The members decide whether they take it.',
  'memberConfig.nothingNew': 'As far as is known here, nothing of it is new to them.',
  'memberConfig.filesNotTold':
    'Members do not report what their files hold, so that this page cannot show the change.',
  'memberConfig.new': 'Is new, and would be added.',
  'memberConfig.same': 'Is there as it is.',
  'memberConfig.different': 'Is there, and stays as it is: members pass over what is different in it.',
  'memberConfig.there': 'Is there, and stays as it is. What it says there is not known here.',
  'memberConfig.added': { one: 'One section was added.', other: '{n} sections were added.' },
  'memberConfig.passedOver': {
    one: 'One was there already, and stays as it was.',
    other: '{n} were there already, and stay as they were.',
  },
} as const satisfies Texts;
