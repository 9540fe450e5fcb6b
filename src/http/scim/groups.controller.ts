import { Delete, Get, Param, Patch, Post, Put } from '@nestjs/common';
import { GroupCalls } from './group-calls.js';
import { Call, type ScimAnswer, type ScimCall } from './scim-call.js';
import { ScimController } from './scim-controller.js';

/** RFC 7644 §3.2: roles of the project that the token names. */
@ScimController('/Groups')
export class ScimGroupsController {
  constructor(private readonly groups: GroupCalls) {}

  @Get()
  async list(@Call() call: ScimCall): Promise<ScimAnswer> {
    return await this.groups.list(call);
  }

  @Post('.search')
  async search(@Call() call: ScimCall): Promise<ScimAnswer> {
    return await this.groups.list({ ...call, query: call.body });
  }

  @Post()
  async create(@Call() call: ScimCall): Promise<ScimAnswer> {
    return await this.groups.create(call);
  }

  @Get(':id')
  async find(@Call() call: ScimCall, @Param('id') id: string): Promise<ScimAnswer> {
    return await this.groups.find(call, id);
  }

  @Put(':id')
  async replace(@Call() call: ScimCall, @Param('id') id: string): Promise<ScimAnswer> {
    return await this.groups.replace(call, id);
  }

  @Patch(':id')
  async patch(@Call() call: ScimCall, @Param('id') id: string): Promise<ScimAnswer> {
    return await this.groups.patch(call, id);
  }

  @Delete(':id')
  async delete(@Call() call: ScimCall, @Param('id') id: string): Promise<ScimAnswer> {
    return await this.groups.delete(call, id);
  }
}
