/** What the instance allows. */
export interface SecuritySettings {
  readonly enableImpersonation: boolean;
}

/** Nobody acts for another unless an instance owner has allowed it. */
export const defaultSecuritySettings: SecuritySettings = { enableImpersonation: false };
