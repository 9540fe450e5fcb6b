import { Table, Text } from '@mantine/core';
import de from '../../../locales/console/de/credentials.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/credentials.json';
import shared from '../../../locales/console/en/shared.json';
import { momentOf, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Expiry } from './expiry.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });

export interface Credential {
  readonly id: string;
  readonly expirationDate: string;
  readonly details: { readonly creationDate?: string | undefined };
}

interface CredentialTableProperties {
  readonly label: string;
  readonly rows: readonly Credential[];
  readonly queryKey: readonly string[];
  readonly removeText: string;
  readonly removed: string;
  readonly mayWrite: boolean;
  readonly remove: (id: string) => Promise<unknown>;
}

/** Keys or tokens: what they are known by, since when, until when. */
export function CredentialTable(properties: CredentialTableProperties) {
  const { label, rows, mayWrite } = properties;
  return (
    <Table aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t.id}</Table.Th>
          <Table.Th visibleFrom="sm">{t.created}</Table.Th>
          <Table.Th>{t.expires}</Table.Th>
          {mayWrite && <Table.Th w={120}>{s.list.actions}</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.id}>
            <Table.Td>
              <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                {row.id}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm">{momentOf(row.details.creationDate)}</Table.Td>
            <Table.Td>
              <Expiry at={row.expirationDate} />
            </Table.Td>
            {mayWrite && (
              <Table.Td>
                <Removal {...properties} id={row.id} />
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Removal({
  id,
  queryKey,
  removeText,
  removed,
  remove,
}: CredentialTableProperties & { readonly id: string }) {
  const act = useAct({ call: async () => await remove(id), stale: [queryKey], done: removed });
  return (
    <Confirm
      danger
      variant="subtle"
      size="xs"
      label={t.remove}
      title={`${t.remove}: ${id}`}
      text={removeText}
      isWorking={act.isPending}
      onConfirm={() => act.mutate()}
    />
  );
}
