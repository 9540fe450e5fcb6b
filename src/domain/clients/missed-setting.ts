/** A setting of an application, by its name in the API, that a request would have needed. */
export type MissedSetting = 'refresh_token' | 'devMode';
