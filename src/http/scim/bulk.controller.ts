import { HttpCode, Post } from '@nestjs/common';
import { BulkCalls } from './bulk-calls.js';
import { Call, type ScimAnswer, type ScimCall } from './scim-call.js';
import { ScimController } from './scim-controller.js';

/** RFC 7644 §3.7 */
@ScimController('/Bulk')
export class ScimBulkController {
  constructor(private readonly bulk: BulkCalls) {}

  @Post()
  @HttpCode(200)
  async run(@Call() call: ScimCall): Promise<ScimAnswer> {
    return await this.bulk.run(call);
  }
}
