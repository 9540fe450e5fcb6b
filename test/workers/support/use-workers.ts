import { afterEach } from 'vitest';
import type { Settings, TestApi } from '../../support/api.js';
import { WorkerProcess } from './worker-process.js';

/** The worker processes that a test spawns beside an API; killed after it. */
export class Workers {
  private readonly processes: WorkerProcess[] = [];

  constructor(
    private readonly api: TestApi,
    private readonly settings: () => Settings,
  ) {}

  spawn(overrides: Settings = {}): WorkerProcess {
    const worker = WorkerProcess.spawn({
      ...this.api.environment,
      LOG_LEVEL: 'info',
      ...this.settings(),
      ...overrides,
    });
    this.processes.push(worker);
    return worker;
  }

  /** All that this test has spawned. */
  get spawned(): readonly WorkerProcess[] {
    return this.processes;
  }

  async killAll(): Promise<void> {
    await Promise.all(this.processes.map((worker) => worker.kill()));
  }

  async clear(): Promise<void> {
    await this.killAll();
    this.processes.length = 0;
  }
}

/** @param settings on top of the API's own, which are known only once it runs */
export function useWorkers(api: TestApi, settings: () => Settings = () => ({})): Workers {
  const workers = new Workers(api, settings);
  afterEach(() => workers.clear());
  return workers;
}
