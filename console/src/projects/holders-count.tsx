import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/projects.json';
import en from '../../../locales/console/en/projects.json';
import { say, words } from '../app/words.ts';
import { Found } from '../shared/found.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { countedOf } from '../shared/more.tsx';
import { findHolders } from './projects.ts';

const t = words({ en, de });

interface HoldersCountProperties {
  readonly org: string;
  readonly project: string;
  /** Without one, those with any role of the project. */
  readonly role?: string;
}

/** In a question, how many users of the organization lose a role. What could not be read is said: it is not nobody. */
export function HoldersCount({ org, project, role }: HoldersCountProperties) {
  const found = useQuery({
    queryKey: ['role-holders', org, project, 'count', role ?? null],
    queryFn: async () => await findHolders(org, project, { role, limit: 1 }),
    // a question tells how many there are now
    staleTime: 0,
  });
  return (
    <Found found={found} loading={<LoadingRows rows={1} />}>
      {({ details: { totalResult = '0', hasMoreThanTotal } }) => (
        <Text>
          {say(role === undefined ? t.holders.ofProject : t.holders.ofRole, {
            count: countedOf(totalResult, hasMoreThanTotal),
          })}
        </Text>
      )}
    </Found>
  );
}
