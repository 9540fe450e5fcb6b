import type { OutputFile } from '../../files/output-file.js';
import type { ConvertedHuman } from '../converted-human.js';
import type { OutputFormat } from './output-format.js';

/** One record a line, as `POST /management/v1/imports` takes it. */
export class NdjsonFormat implements OutputFormat {
  constructor(
    private readonly output: OutputFile,
    private readonly orgId: string | undefined,
  ) {}

  async write(human: ConvertedHuman): Promise<void> {
    const orgId = human.orgId ?? this.orgId;
    await this.output.write(`${JSON.stringify(orgId === undefined ? human : { ...human, orgId })}\n`);
  }

  async end(): Promise<void> {}

  async close(): Promise<void> {}
}
