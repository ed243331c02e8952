/** The suite's own interface: plans, the modules of a plan, and what came of them. */

export interface Suite {
  isReady(): Promise<boolean>;
  createPlan(name: string, variant: Variant, config: object): Promise<Plan>;
  /** Runs one module from its start to its end. @param whileWaiting  what the suite waits for, at most once */
  run(plan: Plan, module: PlannedModule, whileWaiting?: () => Promise<unknown>): Promise<ModuleResult>;
}

export type Variant = Readonly<Record<string, string>>;

export interface Plan {
  readonly id: string;
  readonly modules: readonly PlannedModule[];
}

export interface PlannedModule {
  readonly testModule: string;
  readonly variant?: Variant;
}

export interface ModuleResult {
  readonly module: string;
  readonly variant: Variant;
  readonly result: string;
  /** Conditions that did not simply succeed. */
  readonly remarks: readonly Remark[];
}

export interface Remark {
  readonly kind: string;
  /** The condition's name. */
  readonly source: string;
  readonly message: string;
}

/** It takes nothing that has come in clear text, as far as a front tells it. */
const byFront = { 'X-Forwarded-Proto': 'https' };
/** Longer than any module takes that gets what it waits for. */
const moduleMs = 180_000;
const ends = ['FINISHED', 'INTERRUPTED'];
const remarkable = ['FAILURE', 'WARNING', 'SKIPPED', 'REVIEW', 'INTERRUPTED'];

export function createSuite(address: string): Suite {
  return {
    async isReady() {
      try {
        return (await fetch(`${address}/api/server`, { headers: byFront })).ok;
      } catch {
        return false;
      }
    },
    createPlan: (name, variant, config) =>
      call(
        'POST',
        '/api/plan',
        { planName: name, variant: JSON.stringify(variant) },
        config,
      ) as Promise<Plan>,
    async run(plan, { testModule, variant = {} }, whileWaiting) {
      const of = { test: testModule, plan: plan.id, variant: JSON.stringify(variant) };
      const { id } = (await call('POST', '/api/runner', of)) as { id: string };
      // The suite starts them by itself: asked to, it would say how one stands that changes meanwhile, which can be 500.
      let state = await reach(id, ['WAITING', ...ends]);
      // What goes wrong there is for the module to say.
      if (state === 'WAITING') await whileWaiting?.().catch(() => {});
      state = await reach(id, ends);
      const info = (await call('GET', `/api/info/${id}`)) as { result?: string };
      const log = (await call('GET', `/api/log/${id}`)) as readonly Readonly<Record<string, unknown>>[];
      const remarks = log
        .filter(({ result }) => remarkable.includes(String(result)))
        .map(({ result, src, msg }) => ({ kind: String(result), source: String(src), message: String(msg) }));
      return {
        module: testModule,
        variant,
        result: ends.includes(state) ? (info.result ?? state) : state,
        remarks,
      };
    },
  };

  /** @returns the state, or that it is in none of these in time */
  async function reach(id: string, states: readonly string[]): Promise<string> {
    const deadline = Date.now() + moduleMs;
    while (Date.now() < deadline) {
      const asked = { states: states.join(','), timeoutMs: '20000' };
      const { state } = (await call('GET', `/api/runner/${id}/wait-state`, asked)) as { state?: string };
      if (state !== undefined) return state;
    }
    return 'OUT OF TIME';
  }

  async function call(method: string, path: string, query: Variant = {}, body?: object): Promise<unknown> {
    const response = await fetch(`${address}${path}?${new URLSearchParams(query)}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...byFront },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}
