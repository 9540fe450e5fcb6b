import type { ModuleRun } from '../support/module-run.js';

/** What one test module of the suite does and asks for. */
export type Module = (run: ModuleRun) => Promise<void>;

/** Modules by the suite's own names. */
export type Modules = Readonly<Record<string, Module>>;

/** What `prompt=none` may be refused with (OpenID Connect Core §3.1.2.6). */
export const NEEDS_THE_USER = [
  'login_required',
  'interaction_required',
  'account_selection_required',
  'consent_required',
];
