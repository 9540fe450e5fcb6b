/** The advisory lock of where an organization's domains lead: one of its own providers says so, or its login policy. */
export const HOME_REALM = 'home realm';
