import { Alert, Button, Paper, Select, Stack, Table, Text } from '@mantine/core';
import de from '../../../locales/console/de/imports.json';
import en from '../../../locales/console/en/imports.json';
import { numberOf, say, words } from '../app/words.ts';
import { Section } from '../shared/section.tsx';
import { bytesOf } from './bytes.ts';
import type { FileSummary, Format } from './read-file.ts';

const t = words({ en, de });

interface FileCardProperties {
  readonly file: File;
  readonly format: Format | undefined;
  /** Undefined while it is counted, null where it cannot be. */
  readonly summary: FileSummary | null | undefined;
  readonly isLocked: boolean;
  readonly onFormat: (format: Format) => void;
  readonly onOther: () => void;
}

/** What was chosen, and what is in it. */
export function FileCard(properties: FileCardProperties) {
  const { file, format, summary, isLocked, onFormat, onOther } = properties;
  return (
    <Section
      title={file.name}
      lead={bytesOf(file.size)}
      action={
        <Button size="xs" variant="default" onClick={onOther} disabled={isLocked}>
          {t.file.other}
        </Button>
      }
    >
      <Stack gap="sm">
        <Select
          label={t.file.format}
          {...(format === undefined && { error: t.file.formatUnknown })}
          data={['csv', 'ndjson', 'json'].map((value) => ({ value, label: value.toUpperCase() }))}
          value={format ?? null}
          onChange={(value) => {
            if (value !== null) onFormat(value as Format);
          }}
          disabled={isLocked}
          allowDeselect={false}
          maw={240}
        />
        {format !== undefined && <Counted summary={summary} />}
      </Stack>
    </Section>
  );
}

function Counted({ summary }: { readonly summary: FileSummary | null | undefined }) {
  if (summary === undefined) return <Text c="dimmed">{t.file.counting}</Text>;
  if (summary === null) return <Text c="dimmed">{t.file.notCounted}</Text>;
  const { records, isEstimate, withPassword, machines, columns } = summary;
  return (
    <Stack gap="sm" aria-live="polite">
      <div>
        <Text fw={650} size="xl">
          {say(isEstimate ? t.file.recordsAbout : t.file.records, { count: records })}
        </Text>
        <Text c="dimmed" size="sm">
          {say(t.file.withPassword, { count: numberOf(withPassword) })}
        </Text>
        {machines > 0 && (
          <Text c="dimmed" size="sm">
            {say(t.file.machines, { count: numberOf(machines) })}
          </Text>
        )}
      </div>
      {columns !== undefined && <Columns columns={columns} />}
    </Stack>
  );
}

function Columns({ columns }: { readonly columns: NonNullable<FileSummary['columns']> }) {
  const unknown = columns.filter(([, field]) => field === undefined).length;
  const [only] = columns;
  const isOtherwise = columns.length === 1 && /[;\t]/.test(only?.[0] ?? '');
  return (
    <>
      {unknown > 0 && (
        <Alert color="red" variant="light">
          {isOtherwise ? t.file.semicolons : say(t.file.unknownColumns, { count: unknown })}
        </Alert>
      )}
      <Paper style={{ overflowX: 'auto' }} radius="sm" maw={720}>
        <Table verticalSpacing={6} aria-label={t.file.columns}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.file.column}</Table.Th>
              <Table.Th>{t.file.field}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {columns.map(([name, field], index) => (
              <Table.Tr key={`${name}-${index}`}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>
                  {field === undefined ? (
                    <Text c="var(--danger)" size="sm">
                      {t.file.unknownColumn}
                    </Text>
                  ) : (
                    <Text ff="monospace" size="sm">
                      {field}
                    </Text>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </>
  );
}
