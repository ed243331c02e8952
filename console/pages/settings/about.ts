/** `/settings/about`: what runs here. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import {
  renderAbout,
  type ShownInstallation,
  type ShownLicence,
} from '../../../views/management/settings/about.tsx';
import type { ListAnswer } from '../lists.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

interface Backup {
  readonly createdAt: string;
}

export function createAboutPage(tools: PageTools) {
  return async (ctx: PageContext): Promise<void> => {
    const { body: installation } = await tools.run<ShownInstallation>(ctx, 'readInstallation');
    const may = await tools.mayRun(ctx, ['listBackups', 'readLicence']);
    const backup = may.has('listBackups') ? await newestBackup(ctx) : undefined;
    const licence = may.has('readLicence') ? await licenceIn(ctx) : undefined;
    tools.send(ctx, renderAbout({ frame: await tools.frame(ctx), installation, backup, licence }));
  };

  async function newestBackup(ctx: PageContext): Promise<Backup | null> {
    // The oldest come first, and an administrator clears them away long before these are all.
    const query = { limit: '500' };
    const { body } = await tools.run<ListAnswer<Backup>>(ctx, 'listBackups', { query });
    return body.items.at(-1) ?? null;
  }

  async function licenceIn(ctx: PageContext): Promise<ShownLicence | null> {
    try {
      return (await tools.run<ShownLicence>(ctx, 'readLicence')).body;
    } catch (error) {
      if (error instanceof ProblemError && error.problem === problems.notFound) return null;
      throw error;
    }
  }
}
