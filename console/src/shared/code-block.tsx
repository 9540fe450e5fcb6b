import { Group, Text } from '@mantine/core';
import { Copy } from './secret.tsx';

interface CodeBlockProperties {
  /** Where the code is saved, or what it is. */
  readonly title: string;
  readonly code: string;
}

/** Code to copy. It scrolls by itself, with the keyboard too, and the page does not. */
export function CodeBlock({ title, code }: CodeBlockProperties) {
  return (
    <figure className="code-block">
      <Group component="figcaption" justify="space-between" gap="sm" wrap="nowrap">
        <Text size="sm" ff="monospace" truncate title={title}>
          {title}
        </Text>
        <Copy value={code} />
      </Group>
      {/* scrolling is what it is focused for */}
      <pre tabIndex={0} role="group" aria-label={title}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
