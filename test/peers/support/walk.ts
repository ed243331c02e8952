/** A person without a screen, between an application and the console. */
import { admin } from '../../helpers/console.ts';
import { createUserAgent, type Reply, type UserAgent } from '../../helpers/user-agent.ts';

export interface Walk {
  /** At the application. */
  readonly there: UserAgent;
  /** At the console. */
  readonly here: UserAgent;
  /** Where the application sent the browser. */
  readonly asked: URL;
  /** What it answered in the end. */
  readonly end: Reply;
}

/**
 * From a page of the application through sign-in and consent back to it.
 *
 * @param consoleUrl  where the application is expected to send people
 * @param start       address at the application
 */
export async function signInAtApplication(consoleUrl: string, start: string): Promise<Walk> {
  const [there, here] = [createUserAgent(new URL(start).origin), createUserAgent(consoleUrl)];
  const away = await there.follow(await there.get(start));
  const asked = new URL(away.headers.location ?? `no-way:${away.status}${away.body}`);
  if (asked.origin !== consoleUrl) throw new Error(`the application sent people to ${asked.href}`);
  let page = await here.follow(await here.get(asked.href));
  for (let pages = 0; page.status === 200 && pages < 2; pages += 1) {
    const answer = page.body.includes('name="password"') ? admin : { decision: 'allow' };
    page = await here.follow(await here.submit(page, answer));
  }
  const back = page.headers.location;
  if (back === undefined) throw new Error(`no way back: ${page.status} ${page.body}`);
  return { there, here, asked, end: await there.follow(await there.get(back)) };
}
