/** What can be learnt from the account of use: loaded by whoever asks first. */
import { once } from '../../platform/async/once.ts';
import type { ApiServices } from '../admin-api/table.ts';
import type { Services } from './services.ts';

export function createUsageAnswersOnFirstUse(services: Services): ApiServices['usageAnswers'] {
  const opened = once(async () => {
    const [{ createUsageReports }, { createUnusedReport }, { createUnusedGrants }, { createWhatIf }] =
      await Promise.all([
        import('../usage/usage-reports.ts'),
        import('../usage/unused-report.ts'),
        import('../usage/unused-grants.ts'),
        import('../usage/what-if.ts'),
      ]);
    const reports = createUsageReports(services);
    const { unused, administrators } = createUnusedReport(services);
    return {
      usageOf: reports.usageOf,
      unused,
      unusedGrants: createUnusedGrants({ ...services, unusedOf: reports.unusedOf }),
      administrators: async (days: number) => ({
        items: await administrators(days),
        ...(await reports.period(days)),
      }),
      whatIf: createWhatIf(services),
    };
  });
  return {
    usageOf: async (asked, terms) => (await opened()).usageOf(asked, terms),
    unused: async (asked) => (await opened()).unused(asked),
    unusedGrants: async (clients, withinMs) => (await opened()).unusedGrants(clients, withinMs),
    administrators: async (days) => (await opened()).administrators(days),
    whatIf: async (asked) => (await opened()).whatIf(asked),
  };
}

export function createMuteAnswersOnFirstUse(services: Services): ApiServices['muteAnswers'] {
  const opened = once(async () => {
    const { createMuteAnswers } = await import('../usage/mute-answers.ts');
    return createMuteAnswers({ ...services, mutes: services.denialMutes });
  });
  return {
    list: async () => (await opened()).list(),
    of: async (asked) => (await opened()).of(asked),
    mute: async (asked, days, by) => (await opened()).mute(asked, days, by),
    unmute: async (id) => (await opened()).unmute(id),
  };
}
