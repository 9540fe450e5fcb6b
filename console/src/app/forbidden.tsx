import de from '../../../locales/console/de/app.json';
import membersDe from '../../../locales/console/de/members.json';
import en from '../../../locales/console/en/app.json';
import membersEn from '../../../locales/console/en/members.json';
import { DeadEnd } from './lost.tsx';
import { rolesWith } from './roles.ts';
import { language, say, words } from './words.ts';

const t = words({ en, de }).forbidden;
const { names } = words({ en: membersEn, de: membersDe });

/** A place that somebody else may be in: who, and whom to ask. Whether there is anything in it is not said. */
export function Forbidden({ permission }: { readonly permission: string }) {
  const roles = rolesWith(permission);
  const isOfInstance = roles.some((role) => role.startsWith('IAM_'));
  const list = new Intl.ListFormat(language, { type: 'disjunction' });
  const labels = roles.map((role) => say(t.role, { role: names[role].label }));
  return (
    <DeadEnd
      title={t.title}
      text={`${say(t.needs, { roles: list.format(labels) })} ${isOfInstance ? t.askInstance : t.askOrganization}`}
    />
  );
}
