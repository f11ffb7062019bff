"""Every name that code written against the published benchmark imports exists where it looks for it."""

import importlib

import pytest

NAMES = {
    "common.execution_context": """DatabaseNamespace ExecutionContext RoleType ScenarioCategories TOOL_AUGMENTATION_TYPE
        get_current_context set_current_context new_context new_context_with_attribute""",
    "common.evaluation": """Milestone Minefield SnapshotConstraint snapshot_similarity addition_similarity
        removal_similarity update_similarity tool_trace_dependant_similarity guardrail_similarity
        column_contains_similarity column_close_similarity column_exact_match_similarity
        column_tool_trace_exact_match_similarity column_rouge_l_similarity column_one_similarity
        ColumnSimilarityMeasureType SnapshotSimilarityMeasureType CachedSimilarityCalculator Evaluation
        EvaluationResult MilestoneMatcher get_effective_turn_count _default_dbs_column_similarities""",
    "common.tool_trace_extractors": """ToolTraceExtractorType search_weather_around_lat_lon_temperature_extractor
        current_temperature_extractor days_extractor lat_lon_dict_extractor min_temperature_amount_extractor
        min_temperature_extractor result_to_reminder_timestamp_lowerbound_extractor result_to_temperature_extractor
        result_to_timestamp0_extractor result_to_timestamp1_extractor default_value_normalization""",
    "common.scenario": "Scenario ScenarioExtension ScenarioResult",
    "common.message_conversion": """Message openai_tool_call_to_python_code python_code_to_openai_tool_call
        to_openai_messages serialize_to_conversation openai_messages_to_langchain_messages
        get_snapshot_indices_to_databases""",
    "common.utils": """register_as_tool typechecked exact_match_filter_dataframe fuzzy_match_filter_dataframe
        range_filter_dataframe is_close deterministic_uuid get_tomorrow_datetime get_next_iso_weekday_datetime NotGiven
        NOT_GIVEN DataframeFilterMethodType subsequence_filter_dataframe lt_eq_filter_dataframe gt_eq_filter_dataframe
        filter_dataframe polars_multiply_columns_expression add_tool_trace all_logging_disabled attrs_serialize""",
    "common.validators": """typechecked validate_currency_code validate_range validate_type validate_type_range
        validate_timestamp validate_latitude validate_longitude validate_phone_number""",
    "common.tool_discovery": """ToolBackend get_all_tools find_tools_by_module rank_tools_by_similarity _extract_tools
        get_scrambled_tool_names""",
    "common.tool_conversion": """convert_to_openai_tool maybe_scramble_arg_description maybe_scramble_arg_type
        maybe_scramble_tool_description convert_to_openai_tools convert_python_function_to_openai_function
        default_parameter_processing maybe_scramble_arg_description_from_context maybe_scramble_arg_type_from_context
        maybe_scramble_tool_description_from_context augmented_getdoc augmented_parameters PYTHON_TO_JSON_TYPES""",
    "tools": "contact messaging rapid_api_search_tools reminder setting user_tools utilities",
    "tools.contact": "add_contact modify_contact remove_contact search_contacts",
    "tools.messaging": "send_message_with_phone_number search_messages",
    "tools.reminder": "add_reminder modify_reminder remove_reminder search_reminder",
    "tools.setting": """set_boolean_settings get_boolean_settings set_cellular_service_status
        set_location_service_status set_low_battery_mode_status set_wifi_status get_cellular_service_status
        get_location_service_status get_low_battery_mode_status get_wifi_status get_current_location""",
    "tools.utilities": """datetime_info_to_timestamp timestamp_to_datetime_info unit_conversion search_holiday
        get_current_timestamp shift_timestamp timestamp_diff seconds_to_hours_minutes_seconds
        calculate_lat_lon_distance""",
    "tools.rapid_api_search_tools": """search_lat_lon search_location_around_lat_lon search_weather_around_lat_lon
        search_stock convert_currency maybe_get_current_lat_lon rapid_api_get_request""",
    "tools.user_tools": "end_conversation",
    "roles.base_role": "BaseRole",
    "roles.cli_role": "CliAgent CliUser CliRole",
    "roles.cohere_agent": "to_cohere_tool",
    "roles.execution_environment": """ExecutionEnvironment respond_to_single_message respond_to_messages
        respond_to_messages_set_all_order_permutations get_messages_to_process""",
    "roles.unhelpful_agent": "UnhelpfulAgent",
    "cli": "main run_sandbox write_result_summary get_git_sha has_local_changes DEFAULT_USER_TYPE",
    "cli.utils": """resolve_scenarios RoleImplType AGENT_TYPE_TO_FACTORY USER_TYPE_TO_FACTORY TEST_SCENARIO_NAMES
        run_scenario get_category_summary get_category_to_scenario_count get_necessary_tool_name_to_scenario_count""",
    "analysis.analysis": "extract_meta_stats extract_aggregated_stats",
    "analysis.data_loading": """extract_scenario_results load_result_summary get_scenario_artifacts_path
        get_scenario_pretty_print_path""",
    "scenarios": "named_scenarios USER_INSTRUCTION",
}


@pytest.mark.parametrize("module", NAMES)
def test_names_exist(module: str) -> None:
    assert set(NAMES[module].split()) <= {*dir(importlib.import_module(f"tool_sandbox.{module}"))}
