import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import de from '../../../locales/console/de/providers.json';
import sharedDe from '../../../locales/console/de/shared.json';
import en from '../../../locales/console/en/providers.json';
import shared from '../../../locales/console/en/shared.json';
import { answered, api } from '../api/client.ts';
import { momentOf, say, words } from '../app/words.ts';
import { useAct } from '../shared/act.ts';
import { Confirm } from '../shared/confirm.tsx';
import { Unread } from '../shared/found.tsx';
import { LoadingRows } from '../shared/loading.tsx';
import { Section } from '../shared/section.tsx';

const t = words({ en, de });
const s = words({ en: shared, de: sharedDe });
const REASONS: Readonly<Partial<Record<string, string>>> = t.blocks.reasons;
const KEY = ['sms-blocks'] as const;

/** Which blocks of numbers get no SMS for now, in the whole instance. */
export function SmsBlocks({ mayLift }: { readonly mayLift: boolean }) {
  const list = useQuery({
    queryKey: KEY,
    queryFn: async () => {
      const params = { query: { limit: '1000' } };
      return (await answered(api.GET('/admin/v1/sms_blocks', { params }))).result ?? [];
    },
  });
  const lift = useAct({
    call: async (prefix: string) =>
      await answered(api.DELETE('/admin/v1/sms_blocks/{prefix}', { params: { path: { prefix } } })),
    stale: [KEY],
    done: t.blocks.lifted,
  });
  const blocks = list.data ?? [];
  return (
    <div style={{ marginBlockStart: 24 }}>
      <Section title={t.blocks.title} lead={t.blocks.lead}>
        <Unread found={list} />
        {list.data === undefined && !list.error && <LoadingRows rows={2} />}
        {list.data !== undefined && blocks.length === 0 && <Text c="dimmed">{t.blocks.none}</Text>}
        {blocks.length > 0 && (
          <Table aria-label={t.blocks.title}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t.blocks.prefix}</Table.Th>
                <Table.Th>{t.blocks.reason}</Table.Th>
                <Table.Th visibleFrom="sm">{t.blocks.until}</Table.Th>
                {mayLift && <Table.Th>{s.list.actions}</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {blocks.map(({ prefix, reason, blockedUntil }) => (
                <Table.Tr key={prefix}>
                  <Table.Td>{prefix} …</Table.Td>
                  <Table.Td>{REASONS[reason] ?? reason}</Table.Td>
                  <Table.Td visibleFrom="sm">{momentOf(blockedUntil)}</Table.Td>
                  {mayLift && (
                    <Table.Td>
                      <Confirm
                        size="xs"
                        label={t.blocks.lift}
                        title={say(t.blocks.liftTitle, { prefix })}
                        text={t.blocks.liftText}
                        isWorking={lift.isPending && lift.variables === prefix}
                        onConfirm={() => lift.mutate(prefix)}
                      />
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Section>
    </div>
  );
}
