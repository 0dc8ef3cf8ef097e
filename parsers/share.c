// SPDX-License-Identifier: GPL-2.0-or-later
#include "parsers/share.h"

void share_add(const struct share_part *parts, size_t n, struct parsed *all)
{
	double bw, bw_sum = 0, weight_sum = 0, x_sum = 0, x2_sum = 0;
	unsigned taking_part = 0;

	for (size_t i = 0; i < n; i++) {
		if (!parts[i].weight)
			continue;
		if (!parsed_get(parts[i].parsed, "bw", DIR_ALL, &bw))
			return;
		taking_part++;
		bw_sum += bw;
		weight_sum += parts[i].weight;
		x_sum += bw / parts[i].weight;
		x2_sum += bw / parts[i].weight * (bw / parts[i].weight);
	}
	if (taking_part < 2 || !(bw_sum > 0))
		return;
	for (size_t i = 0; i < n; i++) {
		if (!parts[i].weight || !parsed_get(parts[i].parsed, "bw", DIR_ALL, &bw))
			continue;
		parsed_add(parts[i].parsed, "share", DIR_ALL, JOB_ALL, 100 * bw / bw_sum);
		parsed_add(parts[i].parsed, "share_per_weight", DIR_ALL, JOB_ALL, bw / bw_sum / (parts[i].weight / weight_sum));
	}
	parsed_add(all, "weighted_jain", DIR_ALL, JOB_ALL, x_sum * x_sum / (taking_part * x2_sum));
}
