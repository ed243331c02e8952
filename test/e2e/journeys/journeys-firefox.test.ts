/** Every page is travelled to in Firefox: by mouse, by keyboard alone and without script. */
import { describeJourneys } from './journeys.ts';

await describeJourneys('Firefox');
